/**
 * `parley-mcp/testing`: servers and clients in memory, at any version, with scripted answers and readable transcripts.
 */
export {
  type Answers,
  answers,
  connect,
  everyVersion,
  type FakeClock,
  type Fault,
  type FaultPlan,
  fakeClock,
  faulty,
  flush,
  leaks,
  type Script,
  type ScriptedAnswer,
  type TestClient,
  type TestOptions,
  Transcript,
  testVersions,
  type VersionedTest,
} from './testing/index.ts'
export { type MemoryPairOptions, memoryPair } from './transport/index.ts'

export type { CallOutcome } from './calls/call-outcome.ts'
export type { AnyTools, CallArguments, ToolName, ToolShape, ToolsOf, ValueOf } from './calls/tool-types.ts'
export { Client, type ClientHealth, type CompletionTarget } from './client.ts'
export { connect } from './connect.ts'
export type { EraMemory } from './connection/era-memory.ts'
export type {
  ConnectionState,
  Hope,
  LostRequest,
  ReconnectOptions,
  ReconnectReport,
  StateChange,
} from './connection/reconnect.ts'
export { HANDLE_KEY } from './connection/session-handle.ts'
export { reporter } from './error-reporter.ts'
export type { PageOptions, ReadOptions } from './lists/cached-reader.ts'
export type { CallOptions, ConnectOptions } from './options.ts'
export { capabilitiesFrom, type RelayedEndpoint } from './questions/client-endpoint.ts'
export type { ElicitHandler, ElicitOption, ElicitQuestion, ElicitReply } from './questions/elicitation.ts'
export type { RootLike, RootsOption } from './questions/roots.ts'
export {
  type SampleHandler,
  type SampleOffer,
  type SampleOption,
  type SampleQuestion,
  type SampleReply,
  userRejected,
} from './questions/sampling.ts'
export type { LoadedSkill, SkillFileContent } from './skills/loaded-skill.ts'
export type { ListKind } from './subscriptions/subjects.ts'
export type { Subscription, UpdateHandler } from './subscriptions/subscriptions.ts'
export {
  cannotConnectTo,
  httpOptions,
  isDirectTarget,
  isRemote,
  type LinkOpener,
  type LinkOpening,
  type LinkOpenings,
  type LinkSettings,
  openerFor,
  type RemoteTarget,
  type RemoteTransport,
  type Target,
  webSocketOptions,
} from './target.ts'
export type { TaskCallOptions, TaskHandle } from './tasks/client-tasks.ts'

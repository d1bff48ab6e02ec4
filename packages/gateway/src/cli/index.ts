export { type CliIo, processIo, type Reader, type Writer } from './io.ts'
export { type ProgramOptions, runCli } from './program.ts'
export type { BridgeStart, GatewayStart } from './serving.ts'

export { gatewayInfo } from '../config/index.ts'
export { invocation } from './arguments/invocation.ts'
export { runCli } from './program.ts'
export { type CliIo, type CommandContext, processIo, type Reader, type Writer } from './terminal/io.ts'

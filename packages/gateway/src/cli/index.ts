export { invocation } from './invocation.ts'
export { type CliIo, processIo, type Reader, type Writer } from './io.ts'
export { type ProgramOptions, runCli } from './program.ts'

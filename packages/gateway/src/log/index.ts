export { changedLog, type GatewayLog, jsonLog, type LogSink, silentLog, textLog } from './log.ts'

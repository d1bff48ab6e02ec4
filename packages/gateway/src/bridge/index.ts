export { BridgedCall } from './call.ts'
export { REPORT_KEY, relay } from './relay.ts'
export { type ServedOptions, ServedUpstream } from './servable.ts'
export { startBridge } from './start.ts'

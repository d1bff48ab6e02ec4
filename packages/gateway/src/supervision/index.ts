export { Bulkhead, type BulkheadOptions, type BulkheadStats, type Slot } from './bulkhead/bulkhead.ts'
export { WaitQueue } from './bulkhead/wait-queue.ts'
export { crashError, isUnavailable, withoutName } from './failures.ts'
export { type ChildOptions, commandLaunch } from './launch/command-launch.ts'
export { EarlyLaunch } from './launch/early-launch.ts'
export type { Launch } from './launch/launch.ts'
export { type Redact, redactionFor, withoutBody, withoutPath } from './redaction.ts'
export {
  beginRestarts,
  type RestartDecision,
  type RestartEvent,
  type RestartState,
  stepRestarts,
} from './restart/intensity.ts'
export { upstreamReconnect } from './restart/reconnect.ts'
export type { UpstreamEvent, UpstreamExit, UpstreamState, UpstreamStatus } from './status.ts'
export { Supervisor, type SupervisorOptions } from './supervisor.ts'

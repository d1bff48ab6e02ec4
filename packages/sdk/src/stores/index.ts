export type { EventLog, LoggedEvent } from './event-log.ts'
export { type EventLogLimits, MemoryEventLog } from './memory-event-log.ts'
export { MemoryTaskStore } from './memory-task-store.ts'
export {
  hasExpired,
  type TaskChange,
  type TaskOutcome,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts'

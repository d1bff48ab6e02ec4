export { type EventLog, type EventLogLimits, type LoggedEvent, MemoryEventLog } from './event-log.ts'
export { hasExpired, MemoryTaskStore, type TaskChange, type TaskOutcome, type TaskPosition, type TaskRecord, type TaskStore } from './task-store.ts'

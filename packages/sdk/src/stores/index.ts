export { type EventLog, type EventLogLimits, type LoggedEvent, MemoryEventLog } from './event-log.ts'

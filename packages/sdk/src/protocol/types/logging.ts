/** Log messages of a server, with the eight levels of RFC 5424. */
import type { NotificationParams, RequestParams } from './common.ts'

/** Least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type LogLevel = (typeof logLevels)[number]

export type SetLevelParams = RequestParams & { level: LogLevel }

export type LogMessageParams = NotificationParams & {
  level: LogLevel
  logger?: string
  data: unknown
}

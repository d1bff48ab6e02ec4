/** Reports errors of this side that fail no request: to `onError`, by default to the console (E2). */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { ConnectOptions } from './options.ts'

/** Errors caused on purpose: the user refuses, a request is cancelled, the client is closed. */
const INTENDED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['user_rejected', 'request_cancelled', 'session_closed'])

export type Report = (error: unknown, during: string) => void

export function reporter({ onError }: Pick<ConnectOptions, 'onError'>): Report {
  return onError === undefined ? logToConsole : (error, during) => onError(error, { during })
}

const logToConsole: Report = (error, during) => {
  if (error instanceof ParleyError && INTENDED.has(error.kind)) return
  console.error(`parley: client, ${during} failed:`, error)
}

/** Whether the error has one of these kinds and comes from code on this side. */
export function isOwnFault(error: unknown, kinds: readonly ErrorKind[]): boolean {
  return error instanceof ParleyError && error.receivedCode === undefined && kinds.includes(error.kind)
}

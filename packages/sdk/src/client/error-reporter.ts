/** What went wrong on this side and is nobody's answer: told to `onError`, by default on the console (E2). */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { ConnectOptions } from './options.ts'

/** What somebody here brought about on purpose: a user who refuses, a request given up, a client that was closed. */
const INTENDED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['user_rejected', 'request_cancelled', 'session_closed'])

export type Report = (error: unknown, during: string) => void

export function reporter({ onError }: Pick<ConnectOptions, 'onError'>): Report {
  return onError === undefined ? logToConsole : (error, during) => onError(error, { during })
}

const logToConsole: Report = (error, during) => {
  if (error instanceof ParleyError && INTENDED.has(error.kind)) return
  console.error(`parley: client, ${during} failed:`, error)
}

/** Whether a question failed in one of these ways by the fault of code on this side. */
export function isOwnFault(error: unknown, kinds: readonly ErrorKind[]): boolean {
  return error instanceof ParleyError && error.receivedCode === undefined && kinds.includes(error.kind)
}

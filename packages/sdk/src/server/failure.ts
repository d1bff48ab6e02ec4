/** The two outputs of a failure: the error for the peer, and the report for the local log (E2). */
import { type ErrorKind, ParleyError, ToolError } from '../errors/index.ts'
import type { Session } from '../session/index.ts'

/** Where a failure happened. */
export interface FailureInfo {
  /** The method that was being answered, or what else was going on. */
  readonly during: string
  /** Name of the tool or prompt, or URI. */
  readonly name?: string | undefined
  /** What the peer was told in place of the error, so that the two can be brought together. */
  readonly reference?: string | undefined
  readonly session?: Session | undefined
}

export type OnError = (error: unknown, info: FailureInfo) => void

export const logToConsole: OnError = (error, { during, name, reference }) => {
  const subject = name === undefined ? during : `${during} ${JSON.stringify(name)}`
  console.error(`parley: ${subject} failed${reference === undefined ? '' : ` (reference ${reference})`}:`, error)
}

/**
 * Kinds that speak of a connection. Within a handler that is some other connection, such as the one to a server behind
 * this one: its addresses, commands and last words are none of this peer's business.
 */
const OF_CONNECTIONS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'transport_error',
  'connection_closed',
  'session_lost',
  'session_closed',
  'shutting_down',
  'not_initialized',
  'already_initialized',
  'initialization_timeout',
  'unsupported_protocol_version',
  'peer_unresponsive',
  'request_timeout',
  'request_ids_exhausted',
  'unauthorized',
  'forbidden',
])

/** Catalogue errors made on this side are meant for the peer, unless they came from, or speak of, some other one. */
export function isForPeer(thrown: unknown): thrown is ParleyError {
  return thrown instanceof ParleyError && thrown.receivedCode === undefined && !OF_CONNECTIONS.has(thrown.kind)
}

/** The message for the peer where no tool result can hold a message for the model. */
export function masked(thrown: unknown): ParleyError {
  if (thrown instanceof ToolError) return new ParleyError('internal_error', { message: thrown.message, cause: thrown })
  return new ParleyError('internal_error', { cause: thrown })
}

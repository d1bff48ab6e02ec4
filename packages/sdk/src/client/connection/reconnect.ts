/** Settings, states and reports of reconnecting. */
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import { type Duration, milliseconds } from '../../session/index.ts'
import { Backoff } from '../../timing/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import type { ConnectOptions } from '../options.ts'
import type { ConnectMethod } from '../target.ts'

/**
 * What to do after a failed attempt to reconnect. `again`: try again; requests go on waiting. `tell`: try again, and
 * fail the waiting requests with this error. `stop`: give up.
 */
export type Hope = 'again' | 'tell' | 'stop'

export interface ReconnectOptions {
  /** How many attempts in a row may fail before the client gives up. Default 10. */
  retries?: number
  /**
   * How long to wait before each attempt. The last delay is repeated. Each delay grows by a random part of up to 20 %.
   * Default 1, 2, 4, 8, 16, 30 s.
   */
  delays?: readonly Duration[]
  /**
   * What happens to unanswered requests when the connection is lost. `safe`: requests that are safe to repeat are sent
   * again, once; the others fail. Safe are lists, reads, prompts, completions, and calls of tools listed as read-only
   * or idempotent. `false`: all fail. Default `safe`.
   */
  retry?: 'safe' | false
  /** Most requests that wait for a reconnect. More fail at once. Default 1000. */
  maxWaiting?: number
  /** What the error of an attempt means. Default: `stop` for missing or insufficient credentials, else `again`. */
  judge?: (error: Error) => Hope
}

export interface ReconnectSettings {
  readonly retries: number
  readonly backoff: Backoff
  readonly retry: 'safe' | false
  readonly maxWaiting: number
  readonly judge: (error: Error) => Hope
}

/** Another attempt would fail as well, and could lock an account. */
const CREDENTIAL_ERRORS: ReadonlySet<ErrorKind> = new Set(['unauthorized', 'forbidden'])
const judgeByKind = (error: Error): Hope =>
  error instanceof ParleyError && CREDENTIAL_ERRORS.has(error.kind) ? 'stop' : 'again'

/** Many clients of one server must not reconnect at the same moment. */
const JITTER = 0.2
const DELAYS: readonly Duration[] = Backoff.growing(1000, 30_000).delays

export function settleReconnect(options: ReconnectOptions): ReconnectSettings {
  const { retries = 10, delays = DELAYS, retry = 'safe', maxWaiting = 1000, judge = judgeByKind } = options
  if (!(retries >= 1)) throw new RangeError('reconnect.retries must be 1 or more; reconnect: false turns it off')
  if (delays.length === 0) throw new RangeError('reconnect.delays must not be empty')
  return { retries, backoff: new Backoff(delays.map(milliseconds), JITTER), retry, maxWaiting, judge }
}

/** `undefined` when the client does not reconnect. */
export function reconnectOption(
  target: Pick<ConnectMethod, 'reconnects' | 'canReopen'>,
  given: ConnectOptions['reconnect'],
): ReconnectOptions | undefined {
  const wanted = given ?? target.reconnects
  if (wanted === false) return undefined
  if (!target.canReopen)
    throw new TypeError(
      'A Link can be used once: to reconnect, give connect() a function that opens a new one each time',
    )
  return wanted === true ? {} : wanted
}

/** `connected` → `reconnecting` → `connected` …, and `closed` at the end: closed by the caller, or given up. */
export type ConnectionState = 'connected' | 'reconnecting' | 'closed'

export interface StateChange {
  readonly from: ConnectionState
  readonly to: ConnectionState
  /** Why the connection was lost or given up. Undefined for a clean end. */
  readonly reason: Error | undefined
}

/** A request without an answer when the connection was lost. */
export interface LostRequest {
  readonly id: string | number
  readonly method: string
  readonly startedAt: number
}

/** The effects of one reconnect. */
export interface ReconnectReport {
  /** `lost`: the connection broke. `renewed`: it was replaced before request ids ran out; nothing was lost. */
  readonly cause: 'lost' | 'renewed'
  /** Why the previous session ended. */
  readonly reason: Error | undefined
  readonly attempts: number
  /** How long there was no connection, in milliseconds. */
  readonly downFor: number
  /** Requests that failed when the connection was lost. */
  readonly failed: readonly LostRequest[]
  /** Requests that were sent again. */
  readonly retried: readonly LostRequest[]
  /** Subscriptions that the server refused. The client tries them again at the next reconnect. */
  readonly notRestored: readonly { readonly uri: string; readonly error: Error }[]
  /** Set if restoring the log level failed. */
  readonly logLevelError: Error | undefined
  /** Notifications that handlers got because the real ones may have been missed. */
  readonly presumed: readonly { readonly method: string; readonly uri?: string }[]
  readonly version: { readonly before: ProtocolVersion; readonly after: ProtocolVersion }
}

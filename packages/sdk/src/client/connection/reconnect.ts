/** How a client comes back after its connection was lost: settings, schedule, and the account of what it cost. */
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import { type Duration, milliseconds } from '../../session/index.ts'
import { Backoff } from '../../timing/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import type { ConnectOptions } from '../options.ts'
import type { Way } from '../target.ts'

/**
 * What a failed attempt to come back means. `again`: the next one may succeed, and whoever waits goes on waiting.
 * `tell`: so it may, but those who wait are told now. `stop`: there is no point in another one.
 */
export type Hope = 'again' | 'tell' | 'stop'

export interface ReconnectOptions {
  /** How many attempts in a row may fail before the client gives up. Default 10. */
  retries?: number
  /**
   * How long to wait before each attempt; the last one is repeated. Default 1, 2, 4, 8, 16, 30 s. Up to a fifth is
   * added by chance.
   */
  delays?: readonly Duration[]
  /**
   * `safe` makes requests again that were waiting when the connection was lost and that do no harm when made twice:
   * lists, reads, prompts, completions, and calls of tools listed as read-only or idempotent. Once each. `false`: all
   * of them fail. Default `safe`.
   */
  retry?: 'safe' | false
  /** Most requests that wait for the connection to come back; more fail at once. Default 1000. */
  maxWaiting?: number
  /** What the error of an attempt means. Default: `stop` when credentials are missing or not enough, else `again`. */
  judge?: (error: Error) => Hope
}

export interface ReconnectSettings {
  readonly retries: number
  readonly backoff: Backoff
  readonly retry: 'safe' | false
  readonly maxWaiting: number
  readonly judge: (error: Error) => Hope
}

/** Trying again would not help, and may lock an account. */
const HOPELESS: ReadonlySet<ErrorKind> = new Set(['unauthorized', 'forbidden'])
const judgeByKind = (error: Error): Hope =>
  error instanceof ParleyError && HOPELESS.has(error.kind) ? 'stop' : 'again'

/** Keeps many clients of one server from reconnecting at the same moment. */
const JITTER = 0.2
const DELAYS: readonly Duration[] = ['1s', '2s', '4s', '8s', '16s', '30s']

export function settleReconnect(options: ReconnectOptions): ReconnectSettings {
  const { retries = 10, delays = DELAYS, retry = 'safe', maxWaiting = 1000, judge = judgeByKind } = options
  if (!(retries >= 1)) throw new RangeError('reconnect.retries must be 1 or more; reconnect: false turns it off')
  if (delays.length === 0) throw new RangeError('reconnect.delays must not be empty')
  return { retries, backoff: new Backoff(delays.map(milliseconds), JITTER), retry, maxWaiting, judge }
}

/** The settings to reconnect with; `undefined` where a lost connection stays lost. */
export function reconnectOption(
  target: Pick<Way, 'comesBack' | 'repeatable'>,
  given: ConnectOptions['reconnect'],
): ReconnectOptions | undefined {
  const wanted = given ?? target.comesBack
  if (wanted === false) return undefined
  if (!target.repeatable)
    throw new TypeError(
      'A Link can be used once: to reconnect, give connect() a function that opens a new one each time',
    )
  return wanted === true ? {} : wanted
}

/** `connected` → `reconnecting` → `connected` …, and `closed` at the end: closed by its owner, or given up. */
export type ConnectionState = 'connected' | 'reconnecting' | 'closed'

export interface StateChange {
  readonly from: ConnectionState
  readonly to: ConnectionState
  /** Why the connection was lost or given up; absent for a clean end. */
  readonly reason: Error | undefined
}

/** A request that was waiting for its answer when the connection was lost. */
export interface LostRequest {
  readonly id: string | number
  readonly method: string
  readonly startedAt: number
}

/** What a reconnect cost, exactly. */
export interface ReconnectReport {
  /** `lost`: the connection broke. `renewed`: it was replaced before its request ids ran out, and nothing was lost. */
  readonly cause: 'lost' | 'renewed'
  /** Why the session before ended. */
  readonly reason: Error | undefined
  readonly attempts: number
  /** How long there was no connection, in milliseconds. */
  readonly downFor: number
  /** Requests that failed with the connection; their callers were told. */
  readonly failed: readonly LostRequest[]
  /** Requests that were made again, or held back until now. */
  readonly retried: readonly LostRequest[]
  /** Subscriptions the server did not take again; they are tried at the next reconnect. */
  readonly notRestored: readonly { readonly uri: string; readonly error: Error }[]
  /** Set when the log level could not be set again. */
  readonly logLevelError: Error | undefined
  /** Notifications handlers were given on suspicion, because the real ones may have been missed. */
  readonly presumed: readonly { readonly method: string; readonly uri?: string }[]
  readonly version: { readonly before: ProtocolVersion; readonly after: ProtocolVersion }
}

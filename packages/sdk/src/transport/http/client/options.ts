/** Settings of the HTTP links of a client, with their defaults. */
import { Backoff } from '../../../timing/index.ts'
import { callWith, type Fetch, type HttpCall } from './call.ts'

export type HttpHeaders = Readonly<Record<string, string>>

/** A refusal because of missing or insufficient credentials. */
export interface HttpChallenge {
  readonly url: string
  readonly status: 401 | 403
  /** The `WWW-Authenticate` header, if there was one. */
  readonly wwwAuthenticate: string | undefined
}

/** Time, injected so that tests own it. */
export interface LinkClock {
  after(ms: number, task: () => void): () => void
}

export interface HttpLinkOptions {
  /**
   * Sent with each request, except for headers of the protocol. A function is called each time and can renew a token.
   */
  headers?: HttpHeaders | (() => HttpHeaders | Promise<HttpHeaders>)
  /** Called on 401 and 403. If it returns true, the request is repeated once with the new `headers`. */
  authorize?: (challenge: HttpChallenge) => boolean | Promise<boolean>
  /** Replaces the global `fetch`. */
  fetch?: Fetch
  /** Makes the HTTP requests instead of `fetch`. */
  call?: HttpCall
  /** Whether to open a stream for messages that belong to no request. Default true. */
  listen?: boolean
  reconnect?: {
    /**
     * The wait before a broken stream is reopened. Doubles with each failure. The server may name another. Default 1000
     * ms.
     */
    delay?: number
    /** The longest wait between attempts. Default 30 000 ms. */
    maxDelay?: number
    /** The failures in a row after which a stream is given up. Default 5. */
    attempts?: number
  }
  /**
   * How long a server may take to accept a notification or an answer. For requests, the session decides. Default 30 000
   * ms.
   */
  acceptTimeout?: number
  /**
   * How long `close` waits for earlier messages to be accepted, and then for the end of the session. Default 2000 ms.
   */
  closeTimeout?: number
  clock?: LinkClock
  /** Returns a number from 0 to 1. It spreads the attempts of many clients. */
  random?: () => number
}

export interface HttpLinkSettings {
  /** Names in lower case when they are the same for every request. */
  readonly headers: HttpHeaders | (() => HttpHeaders | Promise<HttpHeaders>)
  readonly authorize: HttpLinkOptions['authorize']
  readonly call: HttpCall
  readonly listen: boolean
  readonly delay: number
  readonly backoff: Backoff
  readonly attempts: number
  readonly acceptTimeout: number
  readonly closeTimeout: number
  readonly clock: LinkClock
  readonly random: () => number
}

/** Many clients of one server must not reconnect at the same moment. */
const JITTER = 0.25

/** Not `unref`ed: a process that waits for an answer must not end. */
const realClock: LinkClock = {
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, 0x7fffffff))
    return () => clearTimeout(timer)
  },
}

/** Prevents duplicate headers. */
export function lowerCase(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}

export function settleHttp(options: HttpLinkOptions): HttpLinkSettings {
  const { headers = {}, reconnect = {} } = options
  const { delay = 1000, maxDelay = 30_000, attempts = 5 } = reconnect
  // Called as a plain function: browsers reject `fetch` as a method of another object.
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options
  return {
    headers: typeof headers === 'function' ? headers : lowerCase(headers),
    authorize: options.authorize,
    call: options.call ?? callWith(fetch),
    listen: options.listen ?? true,
    delay,
    backoff: Backoff.growing(delay, maxDelay, JITTER),
    attempts,
    acceptTimeout: options.acceptTimeout ?? 30_000,
    closeTimeout: options.closeTimeout ?? 2000,
    clock: options.clock ?? realClock,
    random: options.random ?? Math.random,
  }
}

/** Settings of the HTTP links of a client, each with its default. */
import { Backoff } from '../../timing/index.ts'
import { callWith, type Fetch, type HttpCall } from './client-call.ts'

export type HttpHeaders = Readonly<Record<string, string>>

/** What a server said when it refused for want of credentials. */
export interface HttpChallenge {
  readonly url: string
  readonly status: 401 | 403
  /** The `WWW-Authenticate` header, where there was one. */
  readonly wwwAuthenticate: string | undefined
}

/** Time, injected so that tests own it. */
export interface LinkClock {
  after(ms: number, task: () => void): () => void
}

export interface HttpLinkOptions {
  /**
   * Sent with every request, unless the protocol has its own use for one. A function is asked each time, so that a
   * token can be renewed.
   */
  headers?: HttpHeaders | (() => HttpHeaders | Promise<HttpHeaders>)
  /** Called on 401 and 403. True means that `headers` now gives better ones: the request is made once more. */
  authorize?: (challenge: HttpChallenge) => boolean | Promise<boolean>
  /** Instead of the global one. */
  fetch?: Fetch
  /** Instead of `fetch`: another way to make HTTP requests altogether. */
  call?: HttpCall
  /** Whether to ask for a stream of messages that belong to no request. Default true. */
  listen?: boolean
  reconnect?: {
    /**
     * Wait before a broken stream is asked for again, unless the server names another; doubled with each failure.
     * Default 1000 ms.
     */
    delay?: number
    /** Longest wait between failures. Default 30 000 ms. */
    maxDelay?: number
    /** Failures in a row after which a stream is given up. Default 5. */
    attempts?: number
  }
  /**
   * How long a server may take to accept a notification or an answer. Requests have the time-outs of the session.
   * Default 30 000 ms.
   */
  acceptTimeout?: number
  /**
   * How long `close` waits for the server to accept what was sent before, and again to hear of the end. Default 2000
   * ms.
   */
  closeTimeout?: number
  clock?: LinkClock
  /** From 0 to 1; spreads the attempts of many clients. */
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

/** Keeps many clients of one server from reconnecting at the same moment. */
const JITTER = 0.25

/** Not `unref`ed: a process that waits for an answer has something to do. */
const realClock: LinkClock = {
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, 0x7fffffff))
    return () => clearTimeout(timer)
  },
}

/** So that no header is there twice. */
export function lowerCase(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}

export function settleHttp(options: HttpLinkOptions): HttpLinkSettings {
  const { headers = {}, reconnect = {} } = options
  const { delay = 1000, maxDelay = 30_000, attempts = 5 } = reconnect
  // Called as a plain function: browsers refuse `fetch` as the method of something else.
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options
  return {
    headers: typeof headers === 'function' ? headers : lowerCase(headers),
    authorize: options.authorize,
    call: options.call ?? callWith(fetch),
    listen: options.listen ?? true,
    delay,
    backoff: Backoff.doubling(delay, maxDelay, JITTER),
    attempts,
    acceptTimeout: options.acceptTimeout ?? 30_000,
    closeTimeout: options.closeTimeout ?? 2000,
    clock: options.clock ?? realClock,
    random: options.random ?? Math.random,
  }
}

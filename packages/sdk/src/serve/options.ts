/** Settings of what is served over HTTP, each with its default. */
import { DEFAULT_LIMITS, type MessageLimits } from '../jsonrpc/index.ts'
import {
  type AcceptOptions,
  askingSettings,
  type Clock,
  type Duration,
  type Mint,
  milliseconds,
  systemClock,
  systemMint,
} from '../session/index.ts'
import { type EventLog, type EventLogLimits, MemoryEventLog } from '../stores/index.ts'
import type { Exchange, GuardOptions } from '../transport/index.ts'
import type { HintOptions } from './responses/hint.ts'

/**
 * How requests are answered. `auto`: as JSON, unless something comes before the answer or it takes long, then as an
 * event stream. `json`: always as JSON; what belongs to a request goes to the session's own stream, and without a
 * session nowhere. `sse`: always as an event stream.
 */
export type AnswerMode = 'auto' | 'json' | 'sse'

export interface SsePaths {
  /** Where clients of HTTP+SSE open their stream. Default `/sse`. */
  path?: string
  /** Where they post to. Default `/messages`. */
  messages?: string
}

/** Where a server is reached. */
export interface ServedPaths {
  /** Where Streamable HTTP is spoken. Default `/mcp`. */
  path?: string
  /**
   * Also serves HTTP+SSE, the transport of 2024-11-05, to clients of any version; `true` for its usual paths. Default
   * false.
   */
  sse?: boolean | SsePaths
}

/** What holds for a whole site, however many servers it has. */
export interface SiteOptions extends GuardOptions, HintOptions {
  /** Default `auto`. */
  answer?: AnswerMode
  /**
   * Most sessions at once, of all servers together. Over it, one of the principal or address that has the most ends:
   * one that was never used, else the one silent longest. Sessions in use stay; when all are in use, a new one is
   * refused (503). Default 10 000.
   */
  maxSessions?: number
  /**
   * How long a session may be unused before it ends, and what it still works on with it if its client hung up. Default
   * 30 min.
   */
  idleTimeout?: Duration
  /** Most requests of one session that wait for their answer at once. Default 256. */
  maxStreams?: number
  /**
   * Most requests of clients without a session that wait for the answer of one server at once, of all clients together
   * and with those that listen; more are refused (429). Default 10 000.
   */
  maxRequests?: number
  /**
   * Whom a request comes from: what is kept between requests, such as a session or a call that waits for an answer, is
   * only there for the same one. Default: nobody in particular.
   */
  principal?: (request: { header(name: string): string | undefined }) => string | undefined
  /** How often a comment is sent on a stream that is silent, so that no proxy hangs up. Default 15 s. */
  heartbeat?: Duration
  /** How long clients are told to wait before they come back to a stream that ended. Default 1 s. */
  retry?: Duration
  /** Most bytes a client may leave unread before it is hung up on; it can resume. Default 8 MiB. */
  maxUnread?: number
  /**
   * Most bytes that all clients together may leave unread; over it, the client that leaves most is disconnected. Only
   * where Node is served on. Default 256 MiB.
   */
  maxUnreadTotal?: number
  /** Where events are kept for clients that resume, or the limits of the log in memory. */
  eventLog?: EventLog | EventLogLimits
  /** How long the events of finished answers are kept after a session was last used. Default 1 min. */
  keepEvents?: Duration
  /** Answers preflight requests and lets pages of `allowedOrigins` read the answers. Default false. */
  cors?: boolean
  /**
   * A path that answers `GET` with the status, for load balancers, by whatever name they ask; the number of sessions is
   * for allowed hosts. Default none.
   */
  healthPath?: string
  /** Longest time a request may take to arrive. Default 30 s. */
  requestTimeout?: Duration
  /** Settings of the sessions; what is left out is taken from the server. */
  session?: Omit<AcceptOptions, 'id' | 'keepAlive' | 'clock' | 'mint' | 'sharedLink'>
  /** Told of what went wrong in the server itself, of which the client learns nothing. Default: the console. */
  onError?: (error: unknown) => void
  clock?: Clock
  /** Makes session ids: they must not be guessable, and visible ASCII. */
  mint?: Mint
}

/** Of a site with one server. */
export interface HttpOptions extends SiteOptions, ServedPaths {}

export interface HttpSettings {
  readonly answer: AnswerMode
  readonly maxSessions: number
  readonly idleTimeout: number
  readonly maxStreams: number
  readonly maxRequests: number
  readonly principal: HttpOptions['principal']
  readonly hint: HintOptions['hint']
  readonly heartbeat: number
  readonly retry: number
  readonly maxUnread: number
  readonly maxUnreadTotal: number
  readonly eventLog: EventLog
  readonly keepEvents: number
  readonly cors: boolean
  readonly requestTimeout: number
  readonly limits: MessageLimits
  readonly session: AcceptOptions
  readonly onError: (error: unknown) => void
  readonly clock: Clock
  readonly mint: Mint
}

/** Whom a session is opened for, as far as that is known. */
export interface Opener {
  readonly principal: string | undefined
  readonly address: string | undefined
}

export function openerOf(exchange: Exchange, settings: HttpSettings): Opener {
  return { principal: principalOf(exchange, settings), address: exchange.address }
}

/** Whom a request comes from, as far as the server can tell. */
export function principalOf(exchange: Exchange, { principal }: HttpSettings): string | undefined {
  return principal?.({ header: (name) => exchange.header(name.toLowerCase()) })
}

export function settleHttp(options: SiteOptions): HttpSettings {
  const { eventLog = {}, session = {}, clock = systemClock } = options
  askingSettings(session.asking)
  return {
    answer: options.answer ?? 'auto',
    maxSessions: positive('maxSessions', options.maxSessions ?? 10_000),
    idleTimeout: milliseconds(options.idleTimeout ?? '30m'),
    maxStreams: positive('maxStreams', options.maxStreams ?? 256),
    maxRequests: positive('maxRequests', options.maxRequests ?? 10_000),
    principal: options.principal,
    hint: options.hint,
    heartbeat: positive('heartbeat', milliseconds(options.heartbeat ?? '15s')),
    retry: milliseconds(options.retry ?? '1s'),
    maxUnread: positive('maxUnread', options.maxUnread ?? 8 * 1024 * 1024),
    maxUnreadTotal: positive('maxUnreadTotal', options.maxUnreadTotal ?? 256 * 1024 * 1024),
    eventLog: 'append' in eventLog ? eventLog : new MemoryEventLog(eventLog),
    keepEvents: milliseconds(options.keepEvents ?? '1m'),
    cors: options.cors ?? false,
    requestTimeout: positive('requestTimeout', milliseconds(options.requestTimeout ?? '30s')),
    limits: { ...DEFAULT_LIMITS, ...session.limits },
    // Idle sessions expire instead of being pinged: a client that has no stream open could not be reached.
    session: { ...session, ...(options.clock && { clock }), keepAlive: false },
    onError: options.onError ?? ((error) => console.error('parley: serving over HTTP failed:', error)),
    clock,
    mint: options.mint ?? systemMint,
  }
}

/** The settings for one of the servers, which may have limits of its own. */
export function settingsFor(limits: Partial<MessageLimits> | undefined, settings: HttpSettings): HttpSettings {
  return limits === undefined
    ? settings
    : { ...settings, limits: { ...DEFAULT_LIMITS, ...limits, ...settings.session.limits } }
}

function positive(name: string, value: number): number {
  if (value > 0) return value
  throw new RangeError(`${name} must be above 0`)
}

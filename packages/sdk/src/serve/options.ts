/** Settings of HTTP sites and servers, with their defaults. */
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
 * How requests are answered. `auto`: as JSON, or as an event stream if messages come before the answer or it takes
 * long. `json`: always as JSON. Messages about a request go to the session's own stream; without a session they are
 * dropped. `sse`: always as an event stream.
 */
export type AnswerMode = 'auto' | 'json' | 'sse'

export interface SsePaths {
  /** The path of the stream. Default `/sse`. */
  path?: string
  /** The path for messages of clients. Default `/messages`. */
  messages?: string
}

/** The paths of a server. */
export interface ServedPaths {
  /** The path of Streamable HTTP. Default `/mcp`. */
  path?: string
  /** Also serves HTTP+SSE of 2024-11-05, to clients of any version. `true`: at the default paths. Default false. */
  sse?: boolean | SsePaths
}

/** Settings of a whole site, for any number of servers. */
export interface SiteOptions extends GuardOptions, HintOptions {
  /** Default `auto`. */
  answer?: AnswerMode
  /**
   * Most sessions of all servers together. Over the limit, the principal or address with the most sessions loses one:
   * an unused one, or the one that was silent longest. Sessions in use stay. If all are in use, a new one is refused
   * (503). Default 10 000.
   */
  maxSessions?: number
  /** How long a session may be unused. Then it ends, with running requests whose client is gone. Default 30 min. */
  idleTimeout?: Duration
  /** Most requests of one session that wait for an answer. Default 256. */
  maxStreams?: number
  /**
   * Most stateless requests that wait for one server, of all clients, with listen streams. More get 429. Default 10
   * 000.
   */
  maxRequests?: number
  /**
   * The user or client that a request comes from. Sessions and waiting calls are only available to the principal that
   * created them. Default: unknown.
   */
  principal?: (request: { header(name: string): string | undefined }) => string | undefined
  /** How often a comment is sent on a silent stream, so that proxies keep it open. Default 15 s. */
  heartbeat?: Duration
  /** How long clients should wait before they reopen a stream. Default 1 s. */
  retry?: Duration
  /** Most unread bytes of a client. Over the limit it is disconnected, and can resume. Default 8 MiB. */
  maxUnread?: number
  /**
   * Most unread bytes of all clients. Over the limit, the client with the most is disconnected. Only on Node. Default
   * 256 MiB.
   */
  maxUnreadTotal?: number
  /** The log of events for clients that resume, or limits of the log in memory. */
  eventLog?: EventLog | EventLogLimits
  /** How long events of finished answers are kept after the last use of the session. Default 1 min. */
  keepEvents?: Duration
  /** Whether to answer preflight requests and let pages of `allowedOrigins` read the answers. Default false. */
  cors?: boolean
  /**
   * A path with the status, for load balancers. Any host may read it; only allowed hosts see the sessions. Default
   * none.
   */
  healthPath?: string
  /** How long a request may take to arrive. Default 30 s. */
  requestTimeout?: Duration
  /** Settings of the sessions. Default: those of the server. */
  session?: Omit<AcceptOptions, 'id' | 'keepAlive' | 'clock' | 'mint' | 'sharedLink'>
  /** Gets internal errors, which are not sent to the client. Default: the console. */
  onError?: (error: unknown) => void
  clock?: Clock
  /** Creates session ids. They must be unguessable and visible ASCII. */
  mint?: Mint
}

/** Settings of a site with one server. */
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

/** The client that opens a session, as far as it is known. */
export interface Opener {
  readonly principal: string | undefined
  readonly address: string | undefined
}

export function openerOf(exchange: Exchange, settings: HttpSettings): Opener {
  return { principal: principalOf(exchange, settings), address: exchange.address }
}

/** The principal of a request, if it is known. */
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
    // Idle sessions expire instead of being pinged, because a client without a stream cannot be reached.
    session: { ...session, ...(options.clock && { clock }), keepAlive: false },
    onError: options.onError ?? ((error) => console.error('parley: serving over HTTP failed:', error)),
    clock,
    mint: options.mint ?? systemMint,
  }
}

/** The settings for one server, which may have its own limits. */
export function settingsFor(limits: Partial<MessageLimits> | undefined, settings: HttpSettings): HttpSettings {
  return limits === undefined
    ? settings
    : { ...settings, limits: { ...DEFAULT_LIMITS, ...limits, ...settings.session.limits } }
}

function positive(name: string, value: number): number {
  if (value > 0) return value
  throw new RangeError(`${name} must be above 0`)
}

/** Settings of a session, each with its default. */
import { type Link, limitsOf, type MessageLimits, type RequestId } from '../jsonrpc/index.ts'
import type { Side } from '../protocol/index.ts'
import { type DialectName, type Loss, type Profile, type ProtocolVersion, versions } from '../versions/index.ts'
import type { AskingOptions } from './asking/options.ts'
import { type Clock, type Mint, systemClock, systemMint } from './clock.ts'
import { spokenVersions } from './dialects/versions.ts'
import { type Duration, milliseconds } from './duration.ts'
import type { Endpoint } from './endpoint.ts'
import type { MemoryBudgets } from './memory/budgets.ts'
import type { Adopt } from './outgoing/unanswered-request.ts'

/** Everything a session reports that is not an answer: for logs, metrics and tests. */
export type SessionEvent =
  | { type: 'phase'; from: string; to: string; event: string }
  | { type: 'negotiated'; requested: string; version: ProtocolVersion }
  | { type: 'loss'; loss: Loss }
  | { type: 'ignored'; what: string; detail: string }
  | { type: 'error'; error: unknown; during: string }
  | { type: 'ids'; used: number; threshold: 0.8 | 0.9 | 0.96 }
  /** A request was given up, and the peer has sent nothing since it was made. Only without pings. */
  | { type: 'silence'; since: number }

export interface KeepAliveSettings {
  every?: Duration
  timeout?: Duration
  /** Whether the peer may be silent because it works on requests of other sessions. */
  excused?: () => boolean
}

export interface SessionOptions {
  role: Side
  link: Link
  endpoint: Endpoint
  /** The versions that this side speaks. Default: all. */
  versions?: readonly ProtocolVersion[]
  /** The peer speaks a dialect, which goes with one version. Default: none. */
  dialect?: DialectName
  id?: string
  clock?: Clock
  mint?: Mint
  limits?: Partial<MessageLimits>
  profile?: Profile
  /** Default 30 s for servers, 10 s for clients. */
  initialiseTimeout?: Duration
  /**
   * How long a server of unknown era may take to answer `server/discover` before the handshake is tried as well.
   * Default 2 s; never more than half of `initialiseTimeout`.
   */
  probeTimeout?: Duration
  requestTimeout?: Duration
  maxRequestTimeout?: Duration
  /** How often a server may answer one request with questions. Default 32. */
  maxRounds?: number
  /**
   * How often the peer is pinged while a session is open (30 s), and how long it may take to answer (10 s); `false`: no
   * pings. Servers do not ping clients over Streamable HTTP, which may have no stream open. There `idleTimeout` of
   * `serveHttp` ends unused sessions.
   */
  keepAlive?: false | KeepAliveSettings
  /** Most requests waiting for the peer's answer. Default 1000. */
  maxPending?: number
  /** Most requests of the peer being answered at once. Default 1000. */
  maxInFlight?: number
  /** Most notifications waiting for their handlers. Default 1000. */
  maxQueuedNotifications?: number
  /** Ids run from 1 to this. Default 2^53 - 1. */
  maxRequestId?: number
  /** Limits for the bytes that this session keeps because of its peer. Default: its own budgets. */
  budgets?: MemoryBudgets
  /** The principal of the whole session, if the transport knows it. */
  principal?: string
  /** Several clients share the link: there is no handshake, and each request has an envelope. Default false. */
  sharedLink?: boolean
  /** Limits of calls that wait for answers of the client, and the key of their tokens. */
  asking?: AskingOptions
  /** Gets each request that can have no answer here any more, before it fails. */
  adopt?: Adopt
  /** Replaces the error of a request that fails. Successful requests do not pay for it. */
  refused?: (error: unknown) => Promise<never>
  /** Gets every frame of the link. */
  tap?: (direction: 'sent' | 'received', frame: string) => void
  onEvent?: (event: SessionEvent) => void
  /**
   * Gets each loss in the translation of a request of the peer, until the request is answered. `request` is the id by
   * which the link knows it.
   */
  onRequestLoss?: (request: RequestId, loss: Loss) => void
}

export interface SessionSettings {
  sharedLink: boolean
  asking: AskingOptions | undefined
  versions: readonly ProtocolVersion[]
  clock: Clock
  mint: Mint
  limits: MessageLimits
  profile: Profile
  initialiseTimeout: number
  probeTimeout: number
  maxRounds: number
  requestTimeout: number
  maxRequestTimeout: number
  keepAlive: { every: number; timeout: number; excused: (() => boolean) | undefined } | undefined
  maxPending: number
  maxInFlight: number
  maxQueuedNotifications: number
  maxRequestId: number
}

export function settle(options: SessionOptions): SessionSettings {
  const { keepAlive = {} } = options
  return {
    sharedLink: options.sharedLink ?? false,
    asking: options.asking,
    versions: spokenVersions(options) ?? versions,
    clock: options.clock ?? systemClock,
    mint: options.mint ?? systemMint,
    limits: limitsOf(options.role, options.limits),
    profile: options.profile ?? 'lenient',
    initialiseTimeout: milliseconds(options.initialiseTimeout ?? (options.role === 'server' ? '30s' : '10s')),
    probeTimeout: milliseconds(options.probeTimeout ?? '2s'),
    maxRounds: options.maxRounds ?? 32,
    requestTimeout: milliseconds(options.requestTimeout ?? '60s'),
    maxRequestTimeout: milliseconds(options.maxRequestTimeout ?? '10m'),
    keepAlive: keepAlive
      ? {
          every: milliseconds(keepAlive.every ?? '30s'),
          timeout: milliseconds(keepAlive.timeout ?? '10s'),
          excused: keepAlive.excused,
        }
      : undefined,
    maxPending: options.maxPending ?? 1000,
    maxInFlight: options.maxInFlight ?? 1000,
    maxQueuedNotifications: options.maxQueuedNotifications ?? 1000,
    maxRequestId: options.maxRequestId ?? Number.MAX_SAFE_INTEGER,
  }
}

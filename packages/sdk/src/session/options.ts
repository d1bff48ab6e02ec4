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
  /** A request was given up, and the peer has said nothing since it was made; only where nobody is pinged. */
  | { type: 'silence'; since: number }

export interface KeepAliveSettings {
  every?: Duration
  timeout?: Duration
  /** Whether the peer may be silent for a reason that the session does not know of: it works for somebody else. */
  excused?: () => boolean
}

export interface SessionOptions {
  role: Side
  link: Link
  endpoint: Endpoint
  /** Versions this side is willing to speak. Default: all. */
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
   * How long a server that may be of either era is given to answer `server/discover` before the handshake is tried
   * beside it. Default 2 s; never more than half of `initialiseTimeout`.
   */
  probeTimeout?: Duration
  requestTimeout?: Duration
  maxRequestTimeout?: Duration
  /** How often a server may answer one request with questions. Default 32. */
  maxRounds?: number
  /**
   * How often the peer is pinged while a session is open (30 s), and how long it may take to answer (10 s); `false` for
   * never. Servers ping no client over Streamable HTTP, where it may have no stream open: `idleTimeout` of `serveHttp`
   * ends a session that is not used.
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
  /** What this session may keep because of its peer is part of these budgets. Default: budgets of its own. */
  budgets?: MemoryBudgets
  /** Whom all of the session comes from, as far as that was found out. */
  principal?: string
  /** Several clients share the link: no handshake will come, every request speaks for itself. Default false. */
  sharedLink?: boolean
  /** Limits of calls that wait for answers of the client, and the key of what they give it to keep. */
  asking?: AskingOptions
  /** Offered each request that can get no answer here any more, before it fails. */
  adopt?: Adopt
  /** What a request fails with in place of this error. Only those that fail take the time for it. */
  refused?: (error: unknown) => Promise<never>
  /** Shown every frame as it goes over the link. */
  tap?: (direction: 'sent' | 'received', frame: string) => void
  onEvent?: (event: SessionEvent) => void
  /**
   * Told what translation could not carry over of a request of the peer, by what the link knows the request by, until
   * it is answered.
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

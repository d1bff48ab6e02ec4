/** Settings of a session, each with its default. */
import type { ParleyError } from '../errors/index.ts'
import {
  type Body,
  type Link,
  limitsOf,
  type MessageLimits,
  type RequestId,
  type WriteParams,
} from '../jsonrpc/index.ts'
import type { Side } from '../protocol/index.ts'
import {
  type DialectName,
  type InputDemand,
  type Loss,
  type Profile,
  type ProtocolVersion,
  versions,
} from '../versions/index.ts'
import type { AskingOptions } from './asking/options.ts'
import { type Clock, type Mint, systemClock, systemMint } from './clock.ts'
import { spokenVersions } from './dialects/versions.ts'
import { type Duration, milliseconds } from './duration.ts'
import type { Endpoint } from './endpoint.ts'
import type { MemoryBudgets } from './memory.ts'
import type { Adopt } from './outgoing/unanswered-request.ts'

export interface Progress {
  progress: number
  total?: number
  message?: string
  /** Whatever else came with it: `_meta`, and fields that no version knows. */
  more?: Body
}

export interface RequestOptions {
  /** Aborting it cancels the request at the peer. */
  signal?: AbortSignal
  /**
   * Time without an answer or progress. Default 60 s. While a client answers questions of the server it rests, and so
   * does `maxTimeout`: both go on when the last one is answered or taken back. How long a question may stay open is the
   * server's to say; one that is simply left open stops the clock for no longer than the session's `maxRequestTimeout`.
   */
  timeout?: Duration
  /** Hard end however much progress comes; the time of questions is not counted. Default 10 min. */
  maxTimeout?: Duration
  /** Whether progress re-arms the time-out. Default true. */
  resetOnProgress?: boolean
  /** In place of a signal: a request of somebody else with which this one is cancelled. */
  cancelledWith?: { onCancel(run: (reason: string) => void): () => void }
  onProgress?: (progress: Progress) => void
  /**
   * In place of `maxRounds`: hears of each round of questions that the server answers with before any is asked; what it
   * objects with, the request fails with.
   */
  rounds?: { objection(questions: InputDemand['requests']): ParleyError | undefined }
  /** The peer's request on whose behalf this one is made. */
  relatedTo?: string | number
  /** Names the question within the request it belongs to, where questions travel inside an answer. */
  key?: string
  /**
   * For whoever follows tasks: a result of type `task` is not refused; what is made of it here, the request is answered
   * with.
   */
  onTask?: (answer: Body) => unknown
  /**
   * On whose behalf the request is made: told to whoever answers what the peer asks while it works on it, and with what
   * it notifies of meanwhile.
   */
  owner?: unknown
  /**
   * The request is another client's of the same version, handed on: what it says is in the words of that version
   * already, and the result comes as the server wrote it. In the stateless era who it is from stands in its own
   * `_meta`, and the result has its envelope, whether it is an answer, questions or a task.
   */
  relayed?: boolean
  /**
   * The server lets this side hang up and come back for the answer after so many milliseconds; that is seen to, but
   * others may want to know (C-40).
   */
  onReleased?: (retry: number | undefined) => void
  /** Writes the parameters as JSON, in place of the usual way. */
  write?: WriteParams
  /**
   * Told the text of the result before the result itself; where nothing of it is changed it can be handed on as it
   * came.
   */
  onText?: (json: string, untouched: boolean) => void
  /**
   * For results that are handed on as bodies: they are written again in the words they came in, and so are those of
   * their members that are in another body. Whoever wants something changed must make another body: what is changed in
   * place, in the result or anywhere in it, goes on as it came.
   */
  keepsText?: boolean
  /**
   * Shown the text of the result before it is read: true takes it for read, and the request gets an empty result. For
   * whoever has read the same before.
   */
  ifText?: (json: string) => boolean
  /**
   * Told what translation of this request and its result could not carry over; whoever observes the session is told as
   * well.
   */
  onLoss?: (loss: Loss) => void
}

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

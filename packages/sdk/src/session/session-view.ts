/** A session as the rest of the program sees it: endpoints, servers, clients and the gateway. */
import type { Body, RequestId } from '../jsonrpc/index.ts'
import type { LogLevel, Side, SubscriptionFilter } from '../protocol/index.ts'
import type { Era, Loss, Profile, ProtocolVersion } from '../versions/index.ts'
import type { Clock, Mint } from './clock.ts'
import type { Duration } from './duration.ts'
import type { Caller, Endpoint, Introduction } from './endpoint.ts'
import type { Phase, PhaseChange, PhaseRecord } from './phase.ts'
import type { EngineRequestOptions, Progress } from './request-options.ts'
import type { SessionHealth, SessionStats } from './stats.ts'

export interface SessionView {
  readonly id: string
  readonly role: Side
  readonly transport: string
  readonly clock: Clock
  readonly mint: Mint
  readonly profile: Profile
  readonly phase: Phase
  readonly history: readonly PhaseRecord[]
  /** Undefined until both sides have agreed. */
  readonly version: ProtocolVersion | undefined
  /** Undefined until both sides have agreed. */
  readonly era: Era | undefined
  /**
   * Whether both sides keep state between requests, as in the handshake era. If not, each request has its own log level,
   * changes are followed with `listen`, and tasks are polled. True until both sides have agreed.
   */
  readonly stateful: boolean
  readonly self: Introduction
  /** Answers the requests of the peer. */
  readonly endpoint: Endpoint
  readonly peer: Introduction | undefined
  readonly open: boolean
  /** The peer, as the endpoint sees it. */
  readonly caller: Caller
  /** The least severe level of log messages that each request asks for. Without effect in the handshake era. */
  logLevel: LogLevel | undefined
  /** Whether messages have headers, so that some arguments of tools travel in headers as well. */
  readonly mirrors: boolean
  /** Whether the peer can recognise this side. If not, each request could come from any client. */
  readonly remembered: boolean
  /** Whether a message that the peer sends without a request would arrive now. Some servers only answer. */
  readonly hears: boolean
  /** Whether a message that belongs to no request of the peer would be delivered now. The peer may have to fetch it. */
  readonly reachable: boolean
  /** Whether the server may be silent: it works on a request, within the time it was given. */
  readonly excused: boolean

  /** Client side of the handshake. A failure closes the session. */
  initialise(): Promise<void>
  /**
   * Client side. Finds out the era of the server, unless it is known or only one is possible, and agrees on a version.
   * A failure closes the session.
   */
  begin(options?: OpenOptions): Promise<void>
  /**
   * Sends a request. `params` and the result are in the newest vocabulary. The request is settled with what `convert`
   * returns or throws.
   */
  request<T = Body>(
    method: string,
    params?: Body,
    options?: EngineRequestOptions,
    convert?: (result: Body) => T | Promise<T>,
  ): Promise<T>
  /** False when version or capabilities forbid the notification. Then nothing is sent. */
  notify(method: string, params?: Body, options?: { relatedTo?: RequestId }): boolean
  /** Whether `request` or `notify` would be allowed now. */
  can(method: string): boolean
  hasPeerCapability(path: string): boolean
  ping(options?: EngineRequestOptions): Promise<void>
  /** Asks a server of the stateless era for notifications of changes, until one side ends it. */
  listen(filter: ListenFilter, options?: ListenOptions): ListenRequest
  /** From the newest vocabulary to this session's version, for results that are kept as text. */
  translateResult(method: string, result: Body, request?: Body, onLoss?: (loss: Loss) => void): Body
  /** From this session's version to the newest vocabulary, for a result that came with the answer to another method. */
  readResult(method: string, result: Body, request?: Body): Body
  /** For texts that another session of the same version translated: the same losses count for this peer (X2). */
  reportLosses(losses: readonly Loss[]): void
  /**
   * Closes the stream of a request of the peer, which comes back later for the answer. Without effect where transport or
   * version cannot do that.
   */
  release(request: RequestId, retry?: Duration): void
  /**
   * Progress under a token that the caller put into `_meta`. Unlike `onProgress` of a request it does not end with the
   * answer (C-32).
   */
  expectProgress(token: string, handler: (progress: Progress) => void): () => void
  /** Counts bytes for the peer until the returned function is called. Throws when there is no room. */
  keep(cost: number, what: string): () => void
  /** Reports a failure on this side that is the answer to no request. */
  reportError(error: unknown, during: string): void
  onNotification(method: string, handler: NotificationHandler): () => void
  onPhase(observer: (change: PhaseChange) => void): () => void
  /** Calls the listener once, at once when the session is already closed. */
  onClose(listener: (reason: Error | undefined) => void): () => void
  pending(): readonly PendingRequest[]
  /** Resolves when no request of this side waits for its answer. */
  settled(): Promise<void>
  inFlight(): readonly InFlight[]
  stats(): SessionStats
  losses(): readonly Loss[]
  /** Requests and notifications of the peer wait until `resume`. Pings are answered, and answers are taken. */
  pause(): void
  resume(): void
  health(): SessionHealth
  /**
   * Takes no new work, lets running work finish within `drain`, then ends. A second call joins the first. Its `drain`
   * can only shorten the wait.
   */
  close(options?: CloseOptions): Promise<void>
}

export interface OpenOptions {
  /** The era of the server, if known. Default: unknown, unless this side speaks versions of one era only. */
  era?: Era
}

export interface CloseOptions {
  /** How long requests being answered may take to finish. Default 5 s for servers. Clients do not wait. */
  drain?: Duration
  reason?: Error
}

export type NotificationHandler = (params: Body, method: string) => unknown

/** A request of this side that waits for the peer. */
export interface PendingRequest {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
  /** When it times out, unless an answer or progress comes. */
  readonly deadline: number
  /** The request of the peer that it belongs to. */
  readonly relatedTo?: RequestId | undefined
}

/** A request of the peer that is being answered. */
export interface InFlight {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
}

/** The notifications to send; `taskIds` belongs to the tasks extension. */
export type ListenFilter = SubscriptionFilter & { taskIds?: string[] }

export interface ListenOptions {
  signal?: AbortSignal
  /** Called at once, before any later message is read. */
  onAcknowledged?: () => void
}

/** One `subscriptions/listen`, while it is open. */
export interface ListenRequest {
  readonly id: RequestId
  /** The notifications that the server will send. Rejects when the server does not agree. */
  readonly acknowledged: Promise<ListenFilter>
  /** Resolves when the server or the caller ends it; rejects when it is lost. */
  readonly ended: Promise<void>
}

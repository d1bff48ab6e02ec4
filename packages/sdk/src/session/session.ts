/** One conversation with one peer, over one link, in one version. Everything above sees the newest vocabulary only. */
import { ParleyError, toParleyError } from '../errors/index.ts'
import type { Body, RequestId } from '../jsonrpc/index.ts'
import { declares, type LogLevel, type Side } from '../protocol/index.ts'
import { type Era, isVerdict, type Loss, type Profile, type ProtocolVersion } from '../versions/index.ts'
import { SessionCaller } from './caller.ts'
import type { Clock, Mint } from './clock.ts'
import { SessionCore } from './core.ts'
import { type Duration, milliseconds } from './duration.ts'
import type { Caller, Endpoint, Introduction } from './endpoint.ts'
import { Opening, type OpenOptions } from './eras/opening.ts'
import type { ListenFilter, Listening, ListenOptions } from './eras/stateless/client/listening.ts'
import { Answering, type InFlight } from './incoming/answering.ts'
import { type NotificationHandler, Notifications } from './incoming/notifications.ts'
import { Receiving } from './incoming/receiving.ts'
import { type CloseOptions, Lifecycle } from './lifecycle.ts'
import { keepIn } from './memory.ts'
import type { Progress, RequestOptions, SessionOptions } from './options.ts'
import type { PendingRequest } from './outgoing/pending.ts'
import { Requests } from './outgoing/requests.ts'
import type { Phase, PhaseChange, PhaseRecord } from './phase.ts'
import type { SessionHealth, SessionStats } from './stats.ts'

export class Session {
  readonly id: string
  readonly role: Side
  readonly transport: string
  readonly #core: SessionCore
  readonly #requests: Requests
  readonly #answering: Answering
  readonly #notifications: Notifications
  #caller: Caller | undefined
  readonly #lifecycle: Lifecycle

  constructor(options: SessionOptions) {
    const core = new SessionCore(options)
    this.#core = core
    this.id = options.id ?? core.settings.mint()
    this.role = options.role
    this.transport = options.link.transport
    this.#requests = new Requests(core, this, (reason) => this.#lifecycle.end(reason))
    // A server's answer may wait for a person whom it asked through this client, so that time is not the server's
    // silence.
    this.#answering = new Answering(
      core,
      this,
      options.role === 'client' ? (busy) => this.#requests.busy(busy) : undefined,
    )
    this.#notifications = new Notifications(core)
    const receivers = { requests: this.#requests, answering: this.#answering, notifications: this.#notifications }
    this.#lifecycle = new Lifecycle(core, receivers, this)
    const receiving = new Receiving(core, receivers, this, this.#lifecycle)
    this.#lifecycle.begin(receiving)
    core.link.open({
      maxBytes: core.settings.limits.maxBytes,
      frame: (text, parsed, origin) => receiving.receive(text, parsed, origin),
      abandoned: (request) => receiving.abandoned(request),
      failed: (request, error) => this.#requests.undelivered(request, error),
      released: (request, retry) => this.#requests.released(request, retry),
      closed: (reason) => this.#lifecycle.end(reason),
    })
  }

  get clock(): Clock {
    return this.#core.settings.clock
  }
  get mint(): Mint {
    return this.#core.settings.mint
  }
  get profile(): Profile {
    return this.#core.settings.profile
  }
  get phase(): Phase {
    return this.#core.phases.current
  }
  get history(): readonly PhaseRecord[] {
    return this.#core.phases.history
  }
  /** Undefined until the handshake has settled it. */
  get version(): ProtocolVersion | undefined {
    return this.#core.version
  }
  /** Undefined until both sides have agreed. */
  get era(): Era | undefined {
    return this.#core.version === undefined ? undefined : this.#core.era.name
  }
  get self(): Introduction {
    return this.#core.self
  }
  /** Who answers for this side. */
  get endpoint(): Endpoint {
    return this.#core.endpoint
  }
  get peer(): Introduction | undefined {
    return this.#core.peer
  }
  get open(): boolean {
    return this.#core.open
  }

  /** The peer as whoever answers its requests sees it. */
  get caller(): Caller {
    this.#caller ??= new SessionCaller(this)
    return this.#caller
  }

  /** Client side of the handshake; a failure closes the session. */
  initialise(): Promise<void> {
    return this.#begin({}, (opening) => opening.shakeHands())
  }

  /**
   * Client side: finds out the era of the server, unless it is known or only one will do, and agrees with it on a
   * version. A failure closes the session.
   */
  begin(options: OpenOptions = {}): Promise<void> {
    return this.#begin(options, (opening) => opening.run())
  }

  async #begin(options: OpenOptions, agree: (opening: Opening) => Promise<void>): Promise<void> {
    const core = this.#core
    const { clock } = core.settings
    if (!core.phases.fire('initialize', clock.now())) {
      throw core.closed
        ? core.closedError()
        : new ParleyError('already_initialized', { message: 'This session was initialised before' })
    }
    try {
      await agree(new Opening(core, this.#requests, options))
    } catch (error) {
      const failure = toParleyError(error)
      core.phases.fire('fail', clock.now())
      await this.close({ reason: failure })
      throw failure
    }
    this.#lifecycle.onOpened()
  }

  /**
   * Asks the peer; `params` and the result are in the newest vocabulary. `convert` is applied to the result, and what
   * it throws is the outcome.
   */
  request<T = Body>(
    method: string,
    params?: Body,
    options?: RequestOptions,
    convert?: (result: Body) => T | Promise<T>,
  ): Promise<T> {
    const core = this.#core
    if (!core.open && !(method === 'ping' && core.phases.current === 'shutting_down'))
      return Promise.reject(this.#core.notOpen(method))
    const route = core.route(method)
    const breach = core.breach(route, core.role)
    if (breach !== undefined) return Promise.reject(breach)
    return this.#requests.send(method, params, route, options, convert)
  }

  /** False, and nothing is sent, when version or capabilities do not allow it. */
  notify(method: string, params?: Body, options?: { relatedTo?: RequestId }): boolean {
    const core = this.#core
    if (core.closed || core.version === undefined) return false
    if (!core.maySend(method)) return false
    const route = core.route(method)
    if (route.paramsDown === undefined) return core.sendNotification(method, params, options)
    const outcome = route.paramsDown(params, core.translationContext(undefined))
    return isVerdict(outcome) ? false : core.sendNotification(method, outcome, options)
  }

  /** Whether `request` or `notify` would be allowed now. */
  can(method: string): boolean {
    return this.#core.open && this.#core.maySend(method)
  }

  hasPeerCapability(path: string): boolean {
    return declares(this.#core.peer?.capabilities, path)
  }

  async ping(options?: RequestOptions): Promise<void> {
    await this.request(this.#core.era.pingMethod, undefined, options)
  }

  /** The least severe level of log messages wanted with each request of the stateless era. */
  get logLevel(): LogLevel | undefined {
    return this.#core.era.logLevel
  }
  set logLevel(level: LogLevel | undefined) {
    this.#core.era.logLevel = level
  }

  /** Asks a server of the stateless era to tell of changes, for as long as nobody ends it. */
  listen(filter: ListenFilter, options: ListenOptions = {}): Listening {
    const core = this.#core
    if (!core.open) throw this.#core.notOpen('subscriptions/listen')
    const breach = core.breach(core.route('subscriptions/listen'), this.role)
    if (breach !== undefined) throw breach
    return core.era.listen(filter, options)
  }

  /** From the newest vocabulary to this session's version, for results that are kept as text. */
  translateResult(method: string, result: Body, request?: Body, onLoss?: (loss: Loss) => void): Body {
    const core = this.#core
    const down = core.route(method).resultDown
    return down === undefined ? result : (core.translate(down, result, core.requestContext(request, onLoss)) ?? {})
  }

  /** From this session's version to the newest vocabulary, for results that came with another method than their own. */
  readResult(method: string, result: Body, request?: Body): Body {
    const up = this.#core.route(method).resultUp
    return up === undefined ? result : (this.#core.translate(up, result, this.#core.translationContext(request)) ?? {})
  }

  /**
   * For texts that another session of the same version translated: what was lost then is lost for this peer, too (X2).
   */
  reportLosses(losses: readonly Loss[]): void {
    for (const loss of losses) this.#core.onLoss(loss)
  }

  /**
   * Lets the peer hang up on a request of its own and come back for the answer; does nothing where transport or version
   * cannot.
   */
  release(request: RequestId, retry?: Duration): void {
    this.#core.link.release?.(request, retry === undefined ? undefined : milliseconds(retry))
  }

  /** Whether messages have headers here, so that some arguments of tools travel in them as well. */
  get mirrors(): boolean {
    return this.#core.link.mirrors === true
  }

  /** Whether the peer has something to remember this side by: without it, every request is one of anybody. */
  get remembered(): boolean {
    return this.#core.link.remembered ?? true
  }

  /**
   * Whether what the peer tells on its own account would arrive here now; some servers only speak when they are asked.
   */
  get hears(): boolean {
    return this.#core.link.hears ?? true
  }

  /**
   * Whether a message that belongs to no request of the peer would be delivered now; it may have to come and fetch it.
   */
  get reachable(): boolean {
    return this.#core.link.listening ?? true
  }

  /**
   * Progress under a token the caller put into `_meta` itself; unlike `onProgress` of a request it does not end with
   * the answer (C-32).
   */
  expectProgress(token: string, handler: (progress: Progress) => void): () => void {
    return this.#requests.expectProgress(token, handler)
  }

  /** Counts so many bytes for the peer until the returned function is called. Throws when there is no room. */
  keep(cost: number, what: string): () => void {
    return keepIn(this.#core.budget, cost, what)
  }

  /** To whoever observes the session: something of ours failed that is nobody's answer. */
  reportError(error: unknown, during: string): void {
    this.#core.reportError(error, during)
  }

  onNotification(method: string, handler: NotificationHandler): () => void {
    return this.#notifications.on(method, handler)
  }

  onPhase(observer: (change: PhaseChange) => void): () => void {
    return this.#core.phases.observe(observer)
  }

  /** Called once, at once when the session is closed already. */
  onClose(listener: (reason: Error | undefined) => void): () => void {
    return this.#lifecycle.onClose(listener)
  }

  /** Whether silence of a server says nothing: it works on a request, within the time it was given. */
  get excused(): boolean {
    return this.role === 'client' && this.#requests.excused
  }
  pending(): readonly PendingRequest[] {
    return this.#requests.list()
  }
  /** Resolves when no request of this side waits for its answer. */
  settled(): Promise<void> {
    return this.#requests.idle()
  }
  inFlight(): readonly InFlight[] {
    return this.#answering.list()
  }
  stats(): SessionStats {
    return this.#core.stats.snapshot()
  }
  losses(): readonly Loss[] {
    return this.#core.stats.losses
  }

  /** Requests and notifications of the peer wait from now on; pings are answered and answers are taken. */
  pause(): void {
    this.#core.paused = true
  }

  resume(): void {
    if (!this.#core.paused) return
    this.#core.paused = false
    this.#notifications.flush()
    this.#answering.flush()
  }

  health(): SessionHealth {
    const { lastReceivedAt, paused, settings } = this.#core
    return {
      phase: this.phase,
      alive: !this.#core.closed && this.phase !== 'error',
      paused,
      pending: this.#requests.size,
      inFlight: this.#answering.size,
      lastReceivedAt,
      idleMs: settings.clock.now() - lastReceivedAt,
    }
  }

  /**
   * Takes no new work, lets running work finish within `drain`, then ends. A second call joins the first; its `drain`
   * can only shorten the wait.
   */
  close(options: CloseOptions = {}): Promise<void> {
    return this.#lifecycle.close(options)
  }
}

/** One conversation with one peer, over one link, in one version. All callers use the newest vocabulary only. */
import { ParleyError, toParleyError } from '../errors/index.ts'
import type { Body, RequestId } from '../jsonrpc/index.ts'
import { type Capabilities, declares, type LogLevel, type Side } from '../protocol/index.ts'
import { type Era, isVerdict, type Loss, type Profile, type ProtocolVersion } from '../versions/index.ts'
import type { Clock, Mint } from './clock.ts'
import { SessionCore } from './core.ts'
import { type Duration, milliseconds } from './duration.ts'
import type { Caller, Endpoint, Identity, Introduction } from './endpoint.ts'
import { Negotiation } from './eras/negotiation.ts'
import { Answering } from './incoming/answering.ts'
import { NotificationDispatcher } from './incoming/notification-dispatcher.ts'
import { Receiving } from './incoming/receiving.ts'
import { Lifecycle } from './lifecycle.ts'
import { keepIn } from './memory/budgets.ts'
import type { SessionOptions } from './options.ts'
import { OutgoingRequests } from './outgoing/outgoing-requests.ts'
import type { Phase, PhaseChange, PhaseRecord } from './phase.ts'
import type { EngineRequestOptions, Progress } from './request-options.ts'
import type {
  CloseOptions,
  InFlight,
  ListenFilter,
  ListenOptions,
  ListenRequest,
  NotificationHandler,
  OpenOptions,
  PendingRequest,
  SessionView,
} from './session-view.ts'
import type { SessionHealth, SessionStats } from './stats.ts'

class SessionEngine implements SessionView {
  readonly id: string
  readonly role: Side
  readonly transport: string
  readonly #core: SessionCore
  readonly #requests: OutgoingRequests
  readonly #answering: Answering
  readonly #notifications: NotificationDispatcher
  #caller: Caller | undefined
  readonly #lifecycle: Lifecycle

  constructor(options: SessionOptions) {
    const core = new SessionCore(options)
    this.#core = core
    this.id = options.id ?? core.settings.mint()
    this.role = options.role
    this.transport = options.link.transport
    this.#requests = new OutgoingRequests(core, this, (reason) => this.#lifecycle.end(reason))
    // While this client answers a question of the server, the server may be silent.
    this.#answering = new Answering(
      core,
      this,
      options.role === 'client' ? (busy) => this.#requests.busy(busy) : undefined,
    )
    this.#notifications = new NotificationDispatcher(core)
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
  get version(): ProtocolVersion | undefined {
    return this.#core.version
  }
  get era(): Era | undefined {
    return this.#core.version === undefined ? undefined : this.#core.era.name
  }
  get stateful(): boolean {
    return this.#core.era.isStateful
  }
  get self(): Introduction {
    return this.#core.self
  }
  get endpoint(): Endpoint {
    return this.#core.endpoint
  }
  get peer(): Introduction | undefined {
    return this.#core.peer
  }
  get open(): boolean {
    return this.#core.open
  }

  get caller(): Caller {
    this.#caller ??= new SessionCaller(this)
    return this.#caller
  }

  initialise(): Promise<void> {
    return this.#begin({}, (negotiation) => negotiation.shakeHands())
  }

  begin(options: OpenOptions = {}): Promise<void> {
    return this.#begin(options, (negotiation) => negotiation.run())
  }

  async #begin(options: OpenOptions, agree: (negotiation: Negotiation) => Promise<void>): Promise<void> {
    const core = this.#core
    const { clock } = core.settings
    if (!core.phases.fire('initialize', clock.now())) {
      throw core.closed
        ? core.closedError()
        : new ParleyError('already_initialized', { message: 'This session was initialised before' })
    }
    try {
      await agree(new Negotiation(core, this.#requests, options))
    } catch (error) {
      const failure = toParleyError(error)
      core.phases.fire('fail', clock.now())
      await this.close({ reason: failure })
      throw failure
    }
    this.#lifecycle.onOpened()
  }

  request<T = Body>(
    method: string,
    params?: Body,
    options?: EngineRequestOptions,
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

  notify(method: string, params?: Body, options?: { relatedTo?: RequestId }): boolean {
    const core = this.#core
    if (core.closed || core.version === undefined) return false
    if (!core.maySend(method)) return false
    const route = core.route(method)
    if (route.paramsDown === undefined) return core.sendNotification(method, params, options)
    const outcome = route.paramsDown(params, core.translationContext(undefined))
    return isVerdict(outcome) ? false : core.sendNotification(method, outcome, options)
  }

  can(method: string): boolean {
    return this.#core.open && this.#core.maySend(method)
  }

  hasPeerCapability(path: string): boolean {
    return declares(this.#core.peer?.capabilities, path)
  }

  async ping(options?: EngineRequestOptions): Promise<void> {
    await this.request(this.#core.era.pingMethod, undefined, options)
  }

  get logLevel(): LogLevel | undefined {
    return this.#core.era.logLevel
  }
  set logLevel(level: LogLevel | undefined) {
    this.#core.era.logLevel = level
  }

  listen(filter: ListenFilter, options: ListenOptions = {}): ListenRequest {
    const core = this.#core
    if (!core.open) throw this.#core.notOpen('subscriptions/listen')
    const breach = core.breach(core.route('subscriptions/listen'), this.role)
    if (breach !== undefined) throw breach
    return core.era.listen(filter, options)
  }

  translateResult(method: string, result: Body, request?: Body, onLoss?: (loss: Loss) => void): Body {
    const core = this.#core
    const down = core.route(method).resultDown
    return down === undefined ? result : (core.translate(down, result, core.requestContext(request, onLoss)) ?? {})
  }

  readResult(method: string, result: Body, request?: Body): Body {
    const up = this.#core.route(method).resultUp
    return up === undefined ? result : (this.#core.translate(up, result, this.#core.translationContext(request)) ?? {})
  }

  reportLosses(losses: readonly Loss[]): void {
    for (const loss of losses) this.#core.onLoss(loss)
  }

  release(request: RequestId, retry?: Duration): void {
    this.#core.link.release?.(request, retry === undefined ? undefined : milliseconds(retry))
  }

  get mirrors(): boolean {
    return this.#core.link.mirrors === true
  }

  get remembered(): boolean {
    return this.#core.link.remembered ?? true
  }

  get hears(): boolean {
    return this.#core.link.hears ?? true
  }

  get reachable(): boolean {
    return this.#core.link.listening ?? true
  }

  expectProgress(token: string, handler: (progress: Progress) => void): () => void {
    return this.#requests.expectProgress(token, handler)
  }

  keep(cost: number, what: string): () => void {
    return keepIn(this.#core.budget, cost, what)
  }

  reportError(error: unknown, during: string): void {
    this.#core.reportError(error, during)
  }

  onNotification(method: string, handler: NotificationHandler): () => void {
    return this.#notifications.on(method, handler)
  }

  onPhase(observer: (change: PhaseChange) => void): () => void {
    return this.#core.phases.observe(observer)
  }

  onClose(listener: (reason: Error | undefined) => void): () => void {
    return this.#lifecycle.onClose(listener)
  }

  get excused(): boolean {
    return this.role === 'client' && this.#requests.excused
  }
  pending(): readonly PendingRequest[] {
    return this.#requests.list()
  }
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

  close(options: CloseOptions = {}): Promise<void> {
    return this.#lifecycle.close(options)
  }
}

/** The peer of a session in the handshake era. */
class SessionCaller implements Caller {
  readonly #session: SessionView

  constructor(session: SessionView) {
    this.#session = session
  }

  get version(): ProtocolVersion {
    return this.#session.version as ProtocolVersion
  }

  get info(): Identity | undefined {
    return this.#session.peer?.info
  }

  get capabilities(): Capabilities {
    return this.#session.peer?.capabilities ?? {}
  }

  declares(path: string): boolean {
    return this.#session.hasPeerCapability(path)
  }

  can(method: string): boolean {
    return this.#session.can(method)
  }
}

/** The type of a session is `SessionView`, so that modules can use sessions without importing all their parts. */
export type Session = SessionView
export const Session: new (options: SessionOptions) => Session = SessionEngine

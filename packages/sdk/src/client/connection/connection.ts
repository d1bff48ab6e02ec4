/** A client's connection to its server. It replaces its session after a loss and before request ids run out. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import {
  type Adopt,
  type Clock,
  type EngineRequestOptions,
  type Session,
  type SessionEvent,
  systemClock,
  systemMint,
} from '../../session/index.ts'
import type { Backoff } from '../../timing/index.ts'
import { isUnsent } from '../../transport/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import type { LocalTools } from '../calls/local-tools.ts'
import { ClientState, type Restored } from '../client-state.ts'
import { type Report, reporter } from '../error-reporter.ts'
import type { ConnectOptions } from '../options.ts'
import type { ConnectMethod } from '../target.ts'
import { type DialOptions, dial } from './dial.ts'
import { knownEra } from './era-memory.ts'
import { Listeners } from './listeners.ts'
import { LivenessCheck } from './liveness-check.ts'
import { LostRequests, type LostRequestsReport } from './lost-requests.ts'
import { Observers } from './observers.ts'
import {
  type ConnectionState,
  type ReconnectReport,
  type ReconnectSettings,
  reconnectOption,
  type StateChange,
  settleReconnect,
} from './reconnect.ts'
import { ReconnectQueue } from './reconnect-queue.ts'
import { Redial } from './redial.ts'
import { SessionHandle } from './session-handle.ts'

interface Outage extends LostRequestsReport {
  readonly reason: Error | undefined
  readonly since: number
}

const TRANSPORT_FAILURES: readonly string[] = ['transport_error', 'session_lost', 'connection_closed']

export class Connection {
  readonly listeners: Listeners
  readonly stateChanges: Observers<StateChange>
  readonly reports: Observers<ReconnectReport>
  /** Decides when a failed attempt is repeated. */
  readonly retryTiming: { readonly clock: Clock; readonly random: () => number; readonly backoff: Backoff }
  /** What the client restores on each new session. */
  readonly clientState: ClientState
  readonly #clock: Clock
  readonly #dialOptions: DialOptions
  readonly #options: ConnectOptions
  readonly #report: Report
  /** Only for a server in this process. */
  readonly local: LocalTools | undefined
  /** Undefined when the client does not reconnect. */
  readonly #redial: Redial | undefined
  /** Opens the next session before request ids run out (M3). */
  readonly #renewal: Redial | undefined
  readonly #settings: ReconnectSettings
  readonly #queue: ReconnectQueue
  readonly #lostRequests: LostRequests
  readonly #livenessCheck: LivenessCheck
  /** Replaced sessions that still wait for answers. They get no new requests. */
  #draining: Set<Session> | undefined
  /** Undefined for proxies: they have several clients. */
  readonly #sessionHandle: SessionHandle | undefined
  #session: Session | undefined
  #state: ConnectionState = 'connected'
  #paused = false
  #connectedAt = 0
  #reconnects = 0
  #outage: Outage | undefined
  #reconnectFailure: Error | undefined
  #closing: Promise<void> | undefined

  constructor(target: ConnectMethod, options: ConnectOptions) {
    this.#options = options
    this.local = target.local
    this.#clock = options.clock ?? systemClock
    if (options.sessionHandle ?? options.endpoint === undefined)
      this.#sessionHandle = new SessionHandle(options.mint ?? systemMint)
    const report = reporter(options)
    this.#report = report
    this.listeners = new Listeners(report, () => this.#session !== undefined && this.clientState.listenersChanged())
    this.stateChanges = new Observers((error) => report(error, 'state observer'))
    this.reports = new Observers((error) => report(error, 'reconnect observer'))
    const reconnect = reconnectOption(target, options.reconnect)
    this.#settings = settleReconnect(reconnect ?? {})
    this.#queue = new ReconnectQueue({
      clock: this.#clock,
      maxWaiting: this.#settings.maxWaiting,
      timeout: options.timeout ?? '60s',
    })
    this.#lostRequests = new LostRequests(this.#settings.retry, this.#queue, (name) =>
      this.clientState.isRepeatableTool(name),
    )
    this.#livenessCheck = new LivenessCheck(options.keepAlive || {}, (session) => this.#onAlive(session))
    this.#dialOptions = {
      open: target.open,
      canReopen: target.canReopen,
      era: knownEra(target.address, options.eras),
      options,
      adopt: this.#adopt,
      tools: {
        headerParams: (tool) => this.clientState.headerParams(tool),
        headersRefused: () => this.clientState.headersRefused(),
      },
      onSession: (session) => this.#prepare(session),
      onEvent: (event) => this.#onEvent(event),
    }
    this.retryTiming = { clock: this.#clock, random: options.random ?? Math.random, backoff: this.#settings.backoff }
    const redialOptions = {
      ...this.retryTiming,
      retries: this.#settings.retries,
      judge: this.#settings.judge,
      dial: (signal: AbortSignal) => dial(this.#dialOptions, signal),
    }
    if (reconnect !== undefined)
      this.#redial = new Redial({
        ...redialOptions,
        onSession: (session, attempts) => void this.#onReconnected(session, attempts),
        onReject: (error) => this.#rejectWaiting(() => error),
        onGivenUp: (error) => this.#giveUp(error),
      })
    if (target.canReopen)
      this.#renewal = new Redial({
        ...redialOptions,
        onSession: (session) => void this.#onRenewed(session),
        onGivenUp: (error) => report(error, 'renewal of the connection'),
      })
    this.clientState = new ClientState(this, options.cache ?? true, report)
  }

  /** Opens the first session. A failure is not retried. */
  async open(): Promise<void> {
    this.#use(await dial(this.#dialOptions, this.#options.signal))
  }

  /** The current session, or the last one while there is none. */
  get session(): Session {
    return this.#session as Session
  }

  get state(): ConnectionState {
    return this.#state
  }

  get reconnectStatus(): { waiting: number; reconnects: number; attempts: number; nextAttemptAt: number | undefined } {
    const { attempts = 0, nextAt } = this.#state === 'reconnecting' ? (this.#redial as Redial) : {}
    return { waiting: this.#queue.size, reconnects: this.#reconnects, attempts, nextAttemptAt: nextAt }
  }

  request<T = Body>(
    method: string,
    params?: Body,
    options?: EngineRequestOptions,
    convert?: (result: Body) => T | Promise<T>,
  ): Promise<T> {
    const session = this.#session as Session
    if (session.open) return this.#send(session, method, params, options, convert)
    if (this.#reconnectFailure !== undefined) return Promise.reject(connectionLost(method, this.#reconnectFailure))
    if (this.#state === 'closed' || this.#redial === undefined) return session.request(method, params, options, convert)
    return new Promise((resolve, reject) => this.#queue.add({ method, params, options, convert, resolve, reject }))
  }

  /** 2026-07-28 has no ping. `session.ping` sends a request that every server answers. */
  #send<T>(
    session: Session,
    method: string,
    params: Body | undefined,
    options: EngineRequestOptions | undefined,
    convert: ((result: Body) => T | Promise<T>) | undefined,
  ): Promise<T> {
    if (method === 'ping' && !session.stateful)
      return session.ping(options).then(() => (convert === undefined ? ({} as T) : convert({})))
    return session.request(
      method,
      this.#sessionHandle === undefined ? params : this.#sessionHandle.addedTo(params, session),
      options,
      convert,
    )
  }

  /** Whether lost requests are sent again on the next session. */
  get repeats(): boolean {
    return this.#redial !== undefined && this.#settings.retry === 'safe'
  }

  /** Resolves when a session is open. Waits as a request of `method` would. */
  ready(method: string): Promise<void> {
    if (this.session.open) return Promise.resolve()
    if (this.#reconnectFailure !== undefined) return Promise.reject(connectionLost(method, this.#reconnectFailure))
    if (this.#state === 'closed' || this.#redial === undefined) {
      return Promise.reject(
        new ParleyError('session_closed', { message: `${method} was not sent: the session is closed` }),
      )
    }
    return new Promise((resolve, reject) =>
      this.#queue.add({
        method,
        params: undefined,
        options: undefined,
        convert: undefined,
        resolve,
        reject,
        onReady: resolve,
      }),
    )
  }

  pause(): void {
    this.#paused = true
    this.session.pause()
  }

  resume(): void {
    this.#paused = false
    for (const session of [this.session, ...(this.#draining ?? [])]) session.resume()
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  async #shutDown(): Promise<void> {
    this.#redial?.stop()
    this.#renewal?.stop()
    this.#setState('closed', undefined)
    for (const { method, reject } of this.#queue.takeAll())
      reject(
        new ParleyError('session_closed', {
          message: `${method} was not sent: the client was closed while it waited for the connection`,
        }),
      )
    await Promise.all([this.session, ...(this.#draining ?? [])].map((session) => session.close()))
  }

  /** Before the handshake. */
  #prepare(session: Session): void {
    this.clientState.prepare(session)
    this.listeners.attach(session)
    if (this.#paused) session.pause()
    this.#options.onSession?.(session)
  }

  #use(session: Session): void {
    this.#session = session
    this.#connectedAt = this.#clock.now()
    session.onClose((reason) => this.#onSessionClosed(session, reason))
    this.clientState.opened(session)
  }

  #onSessionClosed(session: Session, reason: Error | undefined): void {
    // A replaced session, or the caller closed the client.
    if (session !== this.#session || this.#state === 'closed') return
    this.#renewal?.stop()
    if (this.#redial === undefined) return this.#setState('closed', reason)
    const now = this.#clock.now()
    this.#outage = { reason, since: now, ...this.#lostRequests.takeReport() }
    this.#setState('reconnecting', reason)
    // An observer may have closed the client.
    if (this.#closing !== undefined) return
    const wasStable = now - this.#connectedAt >= this.#settings.backoff.longest
    this.#redial.start(reason, {
      resetFailures: wasStable,
      immediately: reason instanceof ParleyError && reason.kind === 'session_lost',
    })
  }

  async #onReconnected(session: Session, attempts: number): Promise<void> {
    const { reason, since, failed, retried } = this.#outage as Outage
    const downFor = this.#clock.now() - since
    await this.#replaceWith(session, { cause: 'lost', reason, attempts, downFor, failed, retried })
  }

  async #onRenewed(session: Session): Promise<void> {
    this.#drain(this.session)
    await this.#replaceWith(session, {
      cause: 'renewed',
      reason: undefined,
      attempts: 1,
      downFor: 0,
      failed: [],
      retried: [],
    })
  }

  /** Closes a replaced session when all its requests are answered. */
  #drain(session: Session): void {
    this.#draining ??= new Set()
    this.#draining.add(session)
    session.onClose(() => this.#draining?.delete(session))
    void session.settled().then(() => session.close())
  }

  async #replaceWith(session: Session, facts: Omit<ReconnectReport, 'version' | keyof Restored>): Promise<void> {
    const before = this.session
    this.#reconnects++
    // Sent first: a request that overtakes it could change what the client is told.
    const restoring = this.clientState.restore(session, before, facts.cause)
    this.#use(session)
    this.#setState('connected', undefined)
    this.#sendWaiting()
    const restored = await restoring
    const version = { before: before.version as ProtocolVersion, after: session.version as ProtocolVersion }
    this.reports.notify({ ...facts, ...restored, version })
  }

  #giveUp(error: Error | undefined): void {
    const failure = error ?? new ParleyError('connection_closed', { message: 'The server closed the connection' })
    this.#reconnectFailure = failure
    this.#setState('closed', failure)
    this.#rejectWaiting((method) => connectionLost(method, failure))
  }

  #rejectWaiting(errorFor: (method: string) => Error): void {
    for (const { method, reject } of this.#queue.takeAll()) reject(errorFor(method))
  }

  #sendWaiting(): void {
    const { session } = this
    for (const { method, params, options, convert, resolve, reject, onReady } of this.#queue.takeAll()) {
      if (onReady === undefined) this.#send(session, method, params, options, convert).then(resolve as never, reject)
      else onReady()
    }
  }

  readonly #adopt: Adopt = (lost, { error, seen }) => {
    if (this.#redial === undefined || this.#state === 'closed' || this.#livenessCheck.isProbe(lost.options))
      return false
    if (this.session.open) {
      // Any other error is about this request alone.
      if (!(error instanceof ParleyError && TRANSPORT_FAILURES.includes(error.kind))) return false
      this.#livenessCheck.start(this.session)
    }
    return this.#lostRequests.add(lost, seen && !isUnsent(error))
  }

  #onAlive(session: Session): void {
    if (session !== this.#session || this.#state !== 'connected') return
    // The connection was not lost: these requests go out on the same session.
    this.#lostRequests.takeReport()
    this.#sendWaiting()
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === 'ids' && event.threshold === 0.96 && this.#state === 'connected')
      this.#renewal?.start(undefined, { resetFailures: true, immediately: true })
    if (event.type === 'silence' && this.#redial !== undefined && this.#state === 'connected')
      this.#livenessCheck.start(this.session)
    this.#options.onEvent?.(event)
    if (event.type === 'error') this.#report(event.error, event.during)
  }

  #setState(to: ConnectionState, reason: Error | undefined): void {
    const from = this.#state
    if (from === to) return
    this.#state = to
    this.stateChanges.notify({ from, to, reason })
  }
}

function connectionLost(method: string, cause: Error): ParleyError {
  return new ParleyError('connection_closed', {
    message: `${method} was not answered: the connection was lost and did not come back: ${cause.message}`,
    cause,
  })
}

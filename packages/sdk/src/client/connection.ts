/** The way from a client to its server, through as many sessions as it takes. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'

import {
  type Adopt,
  type Clock,
  type EngineRequestOptions,
  type Session,
  type SessionEvent,
  systemClock,
  systemMint,
} from '../session/index.ts'
import type { Backoff } from '../timing/index.ts'
import { isUnsent } from '../transport/index.ts'
import type { HeaderParam, ProtocolVersion } from '../versions/index.ts'
import { type Dialling, dial } from './dial.ts'
import { Doubt } from './doubt.ts'
import { knownEra } from './era-memory.ts'
import { type Report, reporter } from './failure.ts'
import { Listeners } from './listeners.ts'
import type { LocalTools } from './local-tools.ts'
import { Observers } from './observers.ts'
import type { ConnectOptions } from './options.ts'
import { type Losses, Orphans } from './orphans.ts'
import {
  type ConnectionState,
  type ReconnectReport,
  type ReconnectSettings,
  reconnectOption,
  type StateChange,
  settleReconnect,
} from './reconnect.ts'
import { Redial } from './redial.ts'
import { SessionHandle } from './session-handle.ts'
import type { Way } from './target.ts'
import { Waiting } from './waiting.ts'

/** What came back on a new session and what did not. */
export type Restored = Pick<ReconnectReport, 'notRestored' | 'logLevelError' | 'presumed'>

/** Who knows what a session is used for, and what its successor has to be told. */
export interface Keeper {
  /** A session before its handshake. */
  began(session: Session): void
  /** It is the one that requests are made on from now on. */
  opened(session: Session): void
  /** Somebody has begun or ceased to listen to notifications. */
  listenersChanged(): void
  isRepeatableTool(name: string): boolean
  /** The arguments of a tool that travel in headers; `undefined` when that is not known. */
  headerParams(tool: string): readonly HeaderParam[] | undefined
  /** A server found them wrong: finds out what they are. */
  headersRefused(tool: string): Promise<void>
  /** Sends what has to be sent at once; never rejects. */
  restore(session: Session, before: Session, cause: ReconnectReport['cause']): Promise<Restored>
}

interface Outage extends Losses {
  readonly reason: Error | undefined
  readonly since: number
}

const TRANSPORT_FAILURES: readonly string[] = ['transport_error', 'session_lost', 'connection_closed']

export class Connection {
  readonly listeners: Listeners
  readonly stateChanges: Observers<StateChange>
  readonly reports: Observers<ReconnectReport>
  /** What decides when something that failed is tried again. */
  readonly pace: { readonly clock: Clock; readonly random: () => number; readonly backoff: Backoff }
  /** Set by the client before the connection is opened. */
  keeper: Keeper | undefined
  readonly #clock: Clock
  readonly #dialling: Dialling
  readonly #options: ConnectOptions
  readonly #report: Report
  /** Only where the server is in this process. */
  readonly local: LocalTools | undefined
  /** Absent where a lost connection stays lost. */
  readonly #redial: Redial | undefined
  /** Opens the successor of a session whose request ids run out (M3). */
  readonly #renewal: Redial | undefined
  readonly #settings: ReconnectSettings
  readonly #waiting: Waiting
  readonly #orphans: Orphans
  readonly #doubt: Doubt
  /** Sessions that still wait for answers but get no new requests. */
  #draining: Set<Session> | undefined
  /** Absent for programs that stand between a server and several others. */
  readonly #handle: SessionHandle | undefined
  #session: Session | undefined
  #state: ConnectionState = 'connected'
  #paused = false
  #connectedAt = 0
  #reconnects = 0
  #outage: Outage | undefined
  #gaveUp: Error | undefined
  #closing: Promise<void> | undefined

  constructor(way: Way, options: ConnectOptions) {
    this.#options = options
    this.local = way.local
    this.#clock = options.clock ?? systemClock
    if (options.sessionHandle ?? options.endpoint === undefined)
      this.#handle = new SessionHandle(options.mint ?? systemMint)
    const report = reporter(options)
    this.#report = report
    this.listeners = new Listeners(report, () => this.#session !== undefined && this.keeper?.listenersChanged())
    this.stateChanges = new Observers((error) => report(error, 'state observer'))
    this.reports = new Observers((error) => report(error, 'reconnect observer'))
    const reconnect = reconnectOption(way, options.reconnect)
    this.#settings = settleReconnect(reconnect ?? {})
    this.#waiting = new Waiting({
      clock: this.#clock,
      maxWaiting: this.#settings.maxWaiting,
      timeout: options.timeout ?? '60s',
    })
    this.#orphans = new Orphans(
      this.#settings.retry,
      this.#waiting,
      (name) => this.keeper?.isRepeatableTool(name) === true,
    )
    this.#doubt = new Doubt(options.keepAlive || {}, (session) => this.#isAlive(session))
    this.#dialling = {
      open: way.open,
      repeatable: way.repeatable,
      era: knownEra(way.address, options.eras),
      options,
      adopt: this.#adopt,
      tools: {
        headerParams: (tool) => this.keeper?.headerParams(tool),
        headersRefused: (tool) => this.keeper?.headersRefused(tool),
      },
      onSession: (session) => this.#begin(session),
      onEvent: (event) => this.#onEvent(event),
    }
    this.pace = { clock: this.#clock, random: options.random ?? Math.random, backoff: this.#settings.backoff }
    const redialling = {
      ...this.pace,
      retries: this.#settings.retries,
      judge: this.#settings.judge,
      dial: (signal: AbortSignal) => dial(this.#dialling, signal),
    }
    if (reconnect !== undefined)
      this.#redial = new Redial({
        ...redialling,
        onSession: (session, attempts) => void this.#cameBack(session, attempts),
        onTold: (error) => this.#dismiss(() => error),
        onGivenUp: (error) => this.#giveUp(error),
      })
    if (way.repeatable)
      this.#renewal = new Redial({
        ...redialling,
        onSession: (session) => void this.#renewed(session),
        onGivenUp: (error) => report(error, 'renewal of the connection'),
      })
  }

  /** The first session; without it there is no connection to speak of, so it is tried once. */
  async open(): Promise<void> {
    this.#use(await dial(this.#dialling, this.#options.signal))
  }

  /** The current session, or the last one while there is none. */
  get session(): Session {
    return this.#session as Session
  }

  get state(): ConnectionState {
    return this.#state
  }

  get facts(): { waiting: number; reconnects: number; attempts: number; nextAttemptAt: number | undefined } {
    const { attempts = 0, nextAt } = this.#state === 'reconnecting' ? (this.#redial as Redial) : {}
    return { waiting: this.#waiting.size, reconnects: this.#reconnects, attempts, nextAttemptAt: nextAt }
  }

  request<T = Body>(
    method: string,
    params?: Body,
    options?: EngineRequestOptions,
    convert?: (result: Body) => T | Promise<T>,
  ): Promise<T> {
    const session = this.#session as Session
    if (session.open) return this.#send(session, method, params, options, convert)
    if (this.#gaveUp !== undefined) return Promise.reject(hopeless(method, this.#gaveUp))
    if (this.#state === 'closed' || this.#redial === undefined) return session.request(method, params, options, convert)
    return new Promise((resolve, reject) => this.#waiting.add({ method, params, options, convert, resolve, reject }))
  }

  /** Since 2026-07-28 there is no ping; the question every server answers takes its place. */
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
      this.#handle === undefined ? params : this.#handle.addedTo(params, session),
      options,
      convert,
    )
  }

  /** Whether what was lost with a session is asked for again on the next one. */
  get repeats(): boolean {
    return this.#redial !== undefined && this.#settings.retry === 'safe'
  }

  /** Resolves when there is a session to ask `method` on; waits for it as a request would. */
  ready(method: string): Promise<void> {
    if (this.session.open) return Promise.resolve()
    if (this.#gaveUp !== undefined) return Promise.reject(hopeless(method, this.#gaveUp))
    if (this.#state === 'closed' || this.#redial === undefined) {
      return Promise.reject(
        new ParleyError('session_closed', { message: `${method} was not sent: the session is closed` }),
      )
    }
    return new Promise((resolve, reject) =>
      this.#waiting.add({
        method,
        params: undefined,
        options: undefined,
        convert: undefined,
        resolve,
        reject,
        begin: resolve,
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
    for (const { method, reject } of this.#waiting.take())
      reject(
        new ParleyError('session_closed', {
          message: `${method} was not sent: the client was closed while it waited for the connection`,
        }),
      )
    await Promise.all([this.session, ...(this.#draining ?? [])].map((session) => session.close()))
  }

  #begin(session: Session): void {
    this.keeper?.began(session)
    this.listeners.attach(session)
    if (this.#paused) session.pause()
    this.#options.onSession?.(session)
  }

  #use(session: Session): void {
    this.#session = session
    this.#connectedAt = this.#clock.now()
    session.onClose((reason) => this.#ended(session, reason))
    this.keeper?.opened(session)
  }

  #ended(session: Session, reason: Error | undefined): void {
    // One that was drained, or closed by its owner.
    if (session !== this.#session || this.#state === 'closed') return
    this.#renewal?.stop()
    if (this.#redial === undefined) return this.#setState('closed', reason)
    const now = this.#clock.now()
    this.#outage = { reason, since: now, ...this.#orphans.account() }
    this.#setState('reconnecting', reason)
    // An observer may have closed the client.
    if (this.#closing !== undefined) return
    const lasted = now - this.#connectedAt >= this.#settings.backoff.longest
    this.#redial.start(reason, {
      afresh: lasted,
      atOnce: reason instanceof ParleyError && reason.kind === 'session_lost',
    })
  }

  async #cameBack(session: Session, attempts: number): Promise<void> {
    const { reason, since, failed, retried } = this.#outage as Outage
    const downFor = this.#clock.now() - since
    await this.#replaceWith(session, { cause: 'lost', reason, attempts, downFor, failed, retried })
  }

  async #renewed(session: Session): Promise<void> {
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

  /** Its requests are answered where they were made; then it ends. */
  #drain(session: Session): void {
    this.#draining ??= new Set()
    this.#draining.add(session)
    session.onClose(() => this.#draining?.delete(session))
    void session.settled().then(() => session.close())
  }

  async #replaceWith(session: Session, facts: Omit<ReconnectReport, 'version' | keyof Restored>): Promise<void> {
    const before = this.session
    this.#reconnects++
    // First on the wire, so that nobody hears less than before because a request overtook it.
    const restoring = this.keeper?.restore(session, before, facts.cause)
    this.#use(session)
    this.#setState('connected', undefined)
    this.#sendWaiting()
    const restored = (await restoring) ?? { notRestored: [], logLevelError: undefined, presumed: [] }
    const version = { before: before.version as ProtocolVersion, after: session.version as ProtocolVersion }
    this.reports.tell({ ...facts, ...restored, version })
  }

  #giveUp(error: Error | undefined): void {
    const gaveUp = error ?? new ParleyError('connection_closed', { message: 'The server closed the connection' })
    this.#gaveUp = gaveUp
    this.#setState('closed', gaveUp)
    this.#dismiss((method) => hopeless(method, gaveUp))
  }

  #dismiss(errorFor: (method: string) => Error): void {
    for (const { method, reject } of this.#waiting.take()) reject(errorFor(method))
  }

  #sendWaiting(): void {
    const { session } = this
    for (const { method, params, options, convert, resolve, reject, begin } of this.#waiting.take()) {
      if (begin === undefined) this.#send(session, method, params, options, convert).then(resolve as never, reject)
      else begin()
    }
  }

  readonly #adopt: Adopt = (orphan, { error, seen }) => {
    if (this.#redial === undefined || this.#state === 'closed' || this.#doubt.isQuestion(orphan.options)) return false
    if (this.session.open) {
      // Anything else is what the server, or somebody before it, said about this request alone.
      if (!(error instanceof ParleyError && TRANSPORT_FAILURES.includes(error.kind))) return false
      this.#doubt.cast(this.session)
    }
    return this.#orphans.take(orphan, seen && !isUnsent(error))
  }

  #isAlive(session: Session): void {
    if (session !== this.#session || this.#state !== 'connected') return
    // Nothing was lost after all.
    this.#orphans.account()
    this.#sendWaiting()
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === 'ids' && event.threshold === 0.96 && this.#state === 'connected')
      this.#renewal?.start(undefined, { afresh: true, atOnce: true })
    if (event.type === 'silence' && this.#redial !== undefined && this.#state === 'connected')
      this.#doubt.cast(this.session)
    this.#options.onEvent?.(event)
    if (event.type === 'error') this.#report(event.error, event.during)
  }

  #setState(to: ConnectionState, reason: Error | undefined): void {
    const from = this.#state
    if (from === to) return
    this.#state = to
    this.stateChanges.tell({ from, to, reason })
  }
}

function hopeless(method: string, cause: Error): ParleyError {
  return new ParleyError('connection_closed', {
    message: `${method} was not answered: the connection was lost and did not come back: ${cause.message}`,
    cause,
  })
}

/** State and reporting that the parts of one session share. Internal to this folder. */
import { type ByteBudget, Charge } from '../collections/index.ts'
import { ParleyError, type WireError } from '../errors/index.ts'
import {
  type Body,
  errorText,
  type FrameOrigin,
  type Link,
  notificationText,
  type RequestId,
  type SendOptions,
  Serialised,
} from '../jsonrpc/index.ts'
import type { Side } from '../protocol/index.ts'
import {
  isVerdict,
  type Loss,
  newestVersion,
  type Plan,
  type ProtocolVersion,
  type TranslationContext,
} from '../versions/index.ts'
import { dialectLink } from './dialects/link.ts'
import type { Endpoint, Inbound, Introduction } from './endpoint.ts'
import type { SessionEra } from './eras/era.ts'
import { HandshakeEra } from './eras/handshake/era.ts'
import { extensionBreach } from './eras/stateless/guard.ts'
import { breach, type Declarations, isAllowed } from './guard.ts'
import { Silence } from './keep-alive.ts'
import { costOf, keepIn, MemoryBudgets } from './memory/budgets.ts'
import { type SessionEvent, type SessionOptions, type SessionSettings, settle } from './options.ts'
import { PhaseMachine } from './phase.ts'
import { type Route, type Routes, routesFor } from './routes.ts'
import { Stats } from './stats.ts'

export class SessionCore {
  readonly role: Side
  readonly otherRole: Side
  readonly link: Link
  readonly endpoint: Endpoint
  readonly settings: SessionSettings
  readonly adopt: SessionOptions['adopt']
  readonly refused: SessionOptions['refused']
  readonly stats: Stats = new Stats()
  readonly phases: PhaseMachine
  /** The bytes that are kept because of the peer. */
  readonly budget: ByteBudget
  readonly #budgets: MemoryBudgets
  /** Gives back the bytes of the session and of the introduction of its peer. */
  forgetPeer: () => void
  version: ProtocolVersion | undefined
  /** How this side makes requests: as in the handshake era until both sides agree. */
  era: SessionEra = new HandshakeEra(this)
  self: Introduction
  peer: Introduction | undefined
  paused = false
  /** No new work is taken; what is begun may finish. */
  draining = false
  lastReceivedAt: number
  #routes: Routes | undefined
  /**
   * Methods already found to be allowed, by direction; capabilities are frozen for the session, so this never goes
   * stale.
   */
  #clearedToSend: Set<string> | undefined
  #clearedToReceive: Set<string> | undefined
  #silence: Silence | undefined
  readonly #tap: SessionOptions['tap']
  readonly #onEvent: SessionOptions['onEvent']
  readonly onRequestLoss: SessionOptions['onRequestLoss']
  readonly #tool: ((name: string) => Body | undefined) | undefined
  readonly onLoss = (loss: Loss): void => {
    this.stats.lose(loss)
    if (this.#onEvent !== undefined) this.report({ type: 'loss', loss })
  }

  constructor(options: SessionOptions) {
    this.role = options.role
    this.otherRole = options.role === 'server' ? 'client' : 'server'
    this.endpoint = options.endpoint
    this.settings = settle(options)
    const { limits, clock } = this.settings
    this.link =
      options.dialect === undefined
        ? options.link
        : dialectLink(options.link, options.dialect, { onLoss: this.onLoss, limits, now: () => clock.now() })
    this.adopt = options.adopt
    this.refused = options.refused
    this.#tap = options.tap
    this.#onEvent = options.onEvent
    this.onRequestLoss = options.onRequestLoss
    this.#tool = options.endpoint.tool?.bind(options.endpoint)
    this.self = options.endpoint.introduce()
    this.#budgets = options.budgets ?? new MemoryBudgets()
    this.budget = this.#budgets.session(options.principal)
    // A shared link is kept for no client in particular.
    const charge = new Charge(this.budget, this.settings.sharedLink ? 0 : costOf(undefined, 0))
    this.forgetPeer = () => charge.give()
    const now = this.settings.clock.now()
    this.lastReceivedAt = now
    this.phases = new PhaseMachine(
      options.role,
      now,
      ({ from, to, event }) => this.report({ type: 'phase', from, to, event }),
      (error) => this.reportError(error, 'phase observer'),
    )
  }

  /** The budget of a request. On a shared link it is the budget of the client that sent the request. */
  budgetFor(origin: FrameOrigin | undefined): ByteBudget {
    if (!this.settings.sharedLink) return this.budget
    return this.#budgets.client(origin?.principal ?? origin?.address ?? '')
  }

  /** Counts the introduction of the peer in place of an earlier one. Throws when there is no room. */
  keepIntroduction(length: number): void {
    const give = keepIn(this.budget, costOf(undefined, 0) + length, 'an introduction')
    this.forgetPeer()
    this.forgetPeer = give
  }

  /** The error when there is no room for something, if so. */
  noRoom(budget: ByteBudget, cost: number, what: string, isUrgent?: true): ParleyError | undefined {
    return this.#budgets.noRoom(budget, cost, what, this.settings.clock.now(), isUrgent)
  }

  /** The peer has given up on a request; its handler may go on. */
  linger(charge: Charge): void {
    this.#budgets.linger(charge, this.settings.clock.now())
  }

  get closed(): boolean {
    return this.phases.current === 'closed'
  }

  /** Whether the handshake is complete and the session has not ended. */
  get open(): boolean {
    const phase = this.phases.current
    return phase === 'ready' || phase === 'initialized'
  }

  agreeOn(version: ProtocolVersion, peer: Introduction, era = this.era): void {
    this.version = version
    this.peer = peer
    this.#routes = routesFor(version, this.settings.profile)
    this.era = era
  }

  /** Only once a version is agreed on. */
  route(method: string): Route {
    return (this.#routes as Routes)(method)
  }

  /** The error when `sender` may not send this method now, if so. */
  breach(route: Route, sender: Side): ParleyError | undefined {
    const sending = sender === this.role
    if ((sending ? this.#clearedToSend : this.#clearedToReceive)?.has(route.method)) return undefined
    const declared = this.#declared
    const error = this.era.isExtensionMethod(route.method)
      ? extensionBreach(route.method, declared)
      : breach(this.version ?? newestVersion, route.method, route.info, sender, declared)
    if (error === undefined && route.info !== undefined) this.#clear(route.method, sending)
    return error
  }

  /**
   * Whether this side may send the method now. Unlike `breach` it makes no error, which would cost more than a call.
   */
  maySend(method: string): boolean {
    if (this.#clearedToSend?.has(method)) return true
    if (this.era.isExtensionMethod(method)) return extensionBreach(method, this.#declared) === undefined
    const { info } = this.route(method)
    const allowed = isAllowed(method, info, this.role, this.#declared)
    if (allowed && info !== undefined) this.#clear(method, true)
    return allowed
  }

  get #declared(): Declarations {
    return { [this.role]: this.self.capabilities, [this.otherRole]: this.peer?.capabilities } as never
  }

  #clear(method: string, sending: boolean): void {
    if (sending) {
      this.#clearedToSend ??= new Set()
      this.#clearedToSend.add(method)
    } else {
      this.#clearedToReceive ??= new Set()
      this.#clearedToReceive.add(method)
    }
  }

  /** Runs one plan. Throws a refusal. A notification to be dropped gives `undefined`. */
  translate(made: Plan, value: Body | undefined, about: TranslationContext): Body | undefined {
    const outcome = made(value, about)
    if (!isVerdict(outcome)) return outcome
    if (outcome.verdict === 'refuse') throw outcome.error
    return outcome.verdict === 'result' ? outcome.result : undefined
  }

  /** The answer to a request of the peer, in the words of this version. Text is already translated. */
  translateAnswer<T extends Body | Serialised>(
    { route, params, onLoss }: Pick<Inbound, 'params' | 'onLoss'> & { readonly route: Route },
    answer: T,
  ): T | Body {
    const { resultDown } = route
    if (resultDown === undefined || answer instanceof Serialised) return answer
    return this.translate(resultDown, answer as Body, this.requestContext(params, onLoss)) ?? {}
  }

  /** The facts about this conversation that translations may need. */
  translationContext(request: Body | undefined): TranslationContext {
    return new ConversationFacts(this, request)
  }

  /** The same for a request of the peer, whose losses may also be reported by request. */
  requestContext(request: Body | undefined, onLoss: Inbound['onLoss']): TranslationContext {
    const facts = this.translationContext(request)
    if (onLoss === undefined) return facts
    facts.onLoss = (loss) => {
      this.onLoss(loss)
      onLoss(loss)
    }
    return facts
  }

  get client(): Introduction | undefined {
    return this.role === 'client' ? this.self : this.peer
  }

  get server(): Introduction | undefined {
    return this.role === 'server' ? this.self : this.peer
  }

  get tool(): ((name: string) => Body | undefined) | undefined {
    return this.#tool
  }

  send(frame: string, options?: SendOptions): void {
    this.#tap?.('sent', frame)
    this.link.send(frame, options)
  }

  /** For frames without an answer. A link that fails reports its own end. */
  trySend(frame: string, options?: SendOptions): boolean {
    try {
      this.send(frame, options)
      return true
    } catch (error) {
      this.reportError(error, 'send')
      return false
    }
  }

  sendNotification(method: string, params: Body | undefined, options?: SendOptions): boolean {
    this.stats.of(method).sent++
    return this.trySend(notificationText(method, params), this.era.notificationOptions(method, options))
  }

  sendError(id: RequestId | null | undefined, error: WireError): void {
    let text: string
    try {
      text = errorText(id, error)
    } catch {
      text = errorText(id, { code: error.code, message: error.message })
    }
    this.trySend(text, typeof id === 'string' || typeof id === 'number' ? { relatedTo: id, final: true } : undefined)
  }

  received(frame: string): void {
    this.lastReceivedAt = this.settings.clock.now()
    this.#tap?.('received', frame)
  }

  /** A request was given up. Without pings, a peer that stays silent as long as the ping interval is reported. */
  gaveUp(startedAt: number): void {
    const { keepAlive, clock } = this.settings
    if (keepAlive === undefined || this.era.isStateful || this.closed) return
    this.#silence ??= new Silence({
      clock,
      every: keepAlive.every,
      lastHeard: () => this.lastReceivedAt,
      onSilent: () => this.report({ type: 'silence', since: this.lastReceivedAt }),
    })
    this.#silence.gaveUp(startedAt)
  }

  /** The session has ended. */
  stop(): void {
    this.#silence?.stop()
  }

  ignore(what: string, detail: string): void {
    this.stats.ignore(what)
    this.report({ type: 'ignored', what, detail })
  }

  reportError(error: unknown, during: string): void {
    this.report({ type: 'error', error, during })
  }

  report(event: SessionEvent): void {
    try {
      this.#onEvent?.(event)
    } catch {
      // A broken observer must not break the session, and there is no place to report it.
    }
  }

  /** The error for a message that cannot be sent now. */
  notOpen(method: string): ParleyError {
    const { current } = this.phases
    if (this.closed || current === 'error') return this.closedError()
    if (current === 'shutting_down')
      return new ParleyError('shutting_down', {
        message: `${method} cannot be sent while the session is shutting down`,
      })
    return new ParleyError('not_initialized', {
      message: `${method} cannot be sent before the handshake is complete`,
      data: { phase: current },
    })
  }

  closedError(): ParleyError {
    return new ParleyError('session_closed', { message: 'The session is closed' })
  }
}

/** Made for every translated message, so it holds two references and reads the rest on demand. */
class ConversationFacts implements TranslationContext {
  readonly request: Body | undefined
  readonly #core: SessionCore
  #onLoss: TranslationContext['onLoss']

  constructor(core: SessionCore, request: Body | undefined) {
    this.#core = core
    this.request = request
  }

  get onLoss(): ((loss: Loss) => void) | undefined {
    return this.#onLoss ?? this.#core.onLoss
  }
  set onLoss(listener: ((loss: Loss) => void) | undefined) {
    this.#onLoss = listener
  }
  get mint(): () => string {
    return this.#core.settings.mint
  }
  get tool(): ((name: string) => Body | undefined) | undefined {
    return this.#core.tool
  }
  get clientInfo(): Body | undefined {
    return this.#core.client?.info
  }
  get clientCapabilities(): Body | undefined {
    return this.#core.client?.capabilities
  }
  get serverInfo(): Body | undefined {
    return this.#core.server?.info
  }
}

/** State and reporting that the parts of one session share. Internal to this folder. */
import { ParleyError, type WireError } from '../errors/index.ts'
import { type Body, errorText, type Link, notificationText, type RequestId, type SendOptions } from '../jsonrpc/index.ts'
import { newestVersion, type ProtocolVersion, type Side } from '../protocol/index.ts'
import { isVerdict, type Loss, type Plan, type TranslationContext } from '../versions/index.ts'
import type { Endpoint, Introduction } from './endpoint.ts'
import { breach } from './guard.ts'
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
  readonly stats: Stats = new Stats()
  readonly phases: PhaseMachine
  version: ProtocolVersion | undefined
  self: Introduction
  peer: Introduction | undefined
  paused = false
  lastReceivedAt: number
  #routes: Routes | undefined
  /** Methods already found to be allowed, with their direction; capabilities are frozen for the session, so this never goes stale. */
  #cleared: Set<string> | undefined
  readonly #tap: SessionOptions['tap']
  readonly #onEvent: SessionOptions['onEvent']
  readonly #tool: ((name: string) => Body | undefined) | undefined
  readonly onLoss = (loss: Loss): void => {
    this.stats.lose(loss)
    if (this.#onEvent !== undefined) this.report({ type: 'loss', loss })
  }

  constructor(options: SessionOptions) {
    this.role = options.role
    this.otherRole = options.role === 'server' ? 'client' : 'server'
    this.link = options.link
    this.endpoint = options.endpoint
    this.settings = settle(options)
    this.adopt = options.adopt
    this.#tap = options.tap
    this.#onEvent = options.onEvent
    this.#tool = options.endpoint.tool?.bind(options.endpoint)
    this.self = options.endpoint.introduce()
    const now = this.settings.clock.now()
    this.lastReceivedAt = now
    this.phases = new PhaseMachine(
      options.role,
      now,
      ({ from, to, event }) => this.report({ type: 'phase', from, to, event }),
      (error) => this.reportError(error, 'phase observer'),
    )
  }

  get closed(): boolean {
    return this.phases.current === 'closed'
  }

  /** The handshake is behind us and the end is not yet here. */
  get open(): boolean {
    const phase = this.phases.current
    return phase === 'ready' || phase === 'initialized'
  }

  agreeOn(version: ProtocolVersion, peer: Introduction): void {
    this.version = version
    this.peer = peer
    this.#routes = routesFor(version, this.settings.profile)
    this.link.negotiated?.(version)
  }

  /** Only once a version is agreed on. */
  route(method: string): Route {
    return (this.#routes as Routes)(method)
  }

  /** Why `sender` may not send this method now, if so. */
  breach(route: Route, sender: Side): ParleyError | undefined {
    const key = sender === this.role ? route.method : `<${route.method}`
    if (this.#cleared?.has(key)) return undefined
    const declared = { [this.role]: this.self.capabilities, [this.otherRole]: this.peer?.capabilities } as never
    const error = breach(this.version ?? newestVersion, route.method, route.info, sender, declared)
    if (error === undefined && route.info !== undefined) {
      this.#cleared ??= new Set()
      this.#cleared.add(key)
    }
    return error
  }

  /** Runs one plan; a refusal is thrown, a notification to be dropped gives `undefined`. */
  translate(made: Plan, value: Body | undefined, about: TranslationContext): Body | undefined {
    const outcome = made(value, about)
    if (!isVerdict(outcome)) return outcome
    if (outcome.verdict === 'refuse') throw outcome.error
    return outcome.verdict === 'result' ? outcome.result : undefined
  }

  /** What translations may need to know about this conversation. */
  translationContext(request: Body | undefined): TranslationContext {
    const serving = this.role === 'server'
    const client = serving ? this.peer : this.self
    const server = serving ? this.self : this.peer
    return {
      onLoss: this.onLoss,
      mint: this.settings.mint,
      tool: this.#tool,
      request,
      clientInfo: client?.info,
      clientCapabilities: client?.capabilities,
      serverInfo: server?.info,
    }
  }

  send(frame: string, options?: SendOptions): void {
    this.#tap?.('sent', frame)
    this.link.send(frame, options)
  }

  /** For frames nobody waits for: a link that fails reports its own end. */
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
    return this.trySend(notificationText(method, params), options)
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
      // A broken observer must not break the conversation, and there is nobody left to tell.
    }
  }

  closedError(): ParleyError {
    return new ParleyError('session_closed', { message: 'The session is closed' })
  }
}

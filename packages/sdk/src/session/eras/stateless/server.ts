/** The server's side of the stateless era: each request is checked and answered by its own envelope (V4, F9). */
import { Charge } from '../../../collections/index.ts'
import { ParleyError, toParleyError } from '../../../errors/index.ts'
import {
  type Body,
  type FrameOrigin,
  type RequestId,
  type RequestMessage,
  resultText,
  Serialised,
} from '../../../jsonrpc/index.ts'
import { type LogLevel, logLevels, maySend } from '../../../protocol/index.ts'
import { type HeaderParam, headerObjection, META, methodIn, type ProtocolVersion } from '../../../versions/index.ts'
import { Parking } from '../../asking/parking.ts'
import type { SessionCore } from '../../core.ts'
import type { Answer, Identity } from '../../endpoint.ts'
import { isAllowed } from '../../guard.ts'
import type { Answering } from '../../incoming/answering.ts'
import type { InboundCall } from '../../incoming/inbound-call.ts'
import { costOf } from '../../memory/budgets.ts'
import { shutDownUnanswered } from '../../outgoing/request-errors.ts'
import type { EngineRequestOptions } from '../../request-options.ts'
import { type Route, type Routes, routesFor } from '../../routes.ts'
import { StatelessCall } from './call.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { Framing } from './framing.ts'
import { Offers } from './offers.ts'

/** Sent only to clients that listen for them (D-29). */
const CHANGES: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'notifications/tasks',
])
const LISTEN = 'subscriptions/listen'
const DISCOVER = 'server/discover'
const NO_PARAMS: readonly HeaderParam[] = []

/** A request that is not accepted yet. */
interface Arrival {
  readonly message: RequestMessage
  readonly origin: FrameOrigin | undefined
  readonly envelope: Envelope
  /** Of the text of the message. */
  readonly length: number
}

export class StatelessServer {
  readonly parking: Parking
  #framing: { readonly of: Identity; readonly framing: Framing } | undefined
  readonly #core: SessionCore
  readonly #answering: Answering
  readonly #sessionId: string
  readonly #offers: Offers
  /** Of the last request. */
  #spoken: { of: ProtocolVersion; routes: Routes } | undefined
  /** Requests that wait until the endpoint is prepared, or until the headers of their tool are known. */
  readonly #undecided = new Map<unknown, RequestMessage>()

  constructor(core: SessionCore, answering: Answering, sessionId: string) {
    this.#core = core
    this.#answering = answering
    this.#sessionId = sessionId
    this.#offers = new Offers(core)
    this.parking = new Parking(core, (call) => this.begin(call))
  }

  /** An endpoint with `prepare` may not know its name before that. */
  get framing(): Framing {
    const { info } = this.#core.endpoint.prepare === undefined ? this.#core.self : this.#core.endpoint.introduce()
    if (this.#framing?.of !== info) this.#framing = { of: info, framing: new Framing(info) }
    return this.#framing.framing
  }

  /** Of the last request. */
  get version(): ProtocolVersion | undefined {
    return this.#spoken?.of
  }

  /** `length`: of the text of the message. */
  receive(message: RequestMessage, origin: FrameOrigin | undefined, length: number): void {
    const key = origin?.key ?? message.id
    const envelope = readEnvelope(message, origin, this.#core.settings.versions)
    if (envelope instanceof ParleyError) return this.#answering.refuseStateless(message.id, key, envelope)
    if (this.#core.draining) {
      return this.#answering.refuseStateless(
        message.id,
        key,
        new ParleyError('shutting_down', { message: 'The server is shutting down' }),
      )
    }
    const prepared = this.#prepared(envelope, message.method)
    const arrival: Arrival = { message, origin, envelope, length }
    if (prepared === undefined) return this.#check(arrival)
    const charge = this.#answering.objection(key, this.#undecided) ?? this.#charge(arrival)
    if (charge instanceof ParleyError) return this.#answering.refuseStateless(message.id, key, charge)
    this.#undecided.set(key, message)
    const done = this.#answering.prepare()
    const refuse = (error: unknown): void => this.#answering.refuseStateless(message.id, key, toParleyError(error))
    const decide = (decision: () => void): void => {
      charge.give()
      done(this.#settled(key, message) ? decision : undefined)
    }
    prepared
      .then(
        () => decide(() => this.#check(arrival)),
        (error) => decide(() => refuse(error)),
      )
      .catch(refuse)
  }

  /** An error that is thrown at once fails the request, like one that comes later. */
  #prepared({ capabilities }: Envelope, method: string): Promise<void> | undefined {
    try {
      return this.#core.endpoint.prepare?.(undefined, capabilities, method)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** True once, unless the request was given up meanwhile. */
  #settled(key: RequestId, message: RequestMessage): boolean {
    return this.#undecided.get(key) === message && this.#undecided.delete(key)
  }

  /** Compares the headers with the message. The headers that a tool needs may have to be found out first. */
  #check(arrival: Arrival): void {
    const { message, origin } = arrival
    const annotated = origin?.header === undefined ? NO_PARAMS : this.#annotated(message)
    if (!(annotated instanceof Promise)) return this.#take(arrival, annotated)
    const key = origin?.key ?? message.id
    const charge = this.#charge(arrival)
    if (charge instanceof ParleyError) return this.#answering.refuseStateless(message.id, key, charge)
    this.#undecided.set(key, message)
    const decide = (known: readonly HeaderParam[]): void => {
      charge.give()
      if (this.#settled(key, message)) this.#take(arrival, known)
    }
    annotated.then(decide, () => decide(NO_PARAMS))
  }

  /** For a request that waits, given up or not, until it is accepted or refused. */
  #charge({ message, origin, length }: Arrival): Charge | ParleyError {
    const budget = this.#core.budgetFor(origin)
    const cost = costOf(message.params, length)
    return this.#core.noRoom(budget, cost, message.method) ?? new Charge(budget, cost)
  }

  /** True when the request was given up before it was accepted. */
  abandoned(key: unknown): boolean {
    return this.#undecided.delete(key)
  }

  /** Answers the requests that were not accepted yet. */
  giveUp(): void {
    for (const [key, { id }] of this.#undecided)
      this.#answering.refuseStateless(id, key as RequestId, shutDownUnanswered())
    this.#undecided.clear()
  }

  close(reason: string): void {
    this.#undecided.clear()
    this.parking.close(reason)
  }

  /** A notification that belongs to a request. */
  notify(call: InboundCall, key: RequestId, method: string, params: Body | undefined): void {
    const info = methodIn(call.caller.version, method)
    const listens = call.method === LISTEN
    if (CHANGES.has(method) !== listens || (info !== undefined && !maySend(info, 'server'))) return
    if (method === 'notifications/message' && !wants(call.logLevel, params?.['level'])) return
    const declared = {
      client: call.caller.capabilities,
      server: this.#core.endpoint.introduce(call.caller.capabilities).capabilities,
    }
    if (!listens && !isAllowed(method, info, 'server', declared)) return
    this.#core.sendNotification(method, listens ? ofSubscription(call.id, params) : params, { relatedTo: key })
  }

  /** On a shared channel the specification wants two messages at the end of listening: the answer and this one. */
  answered({ method, id }: InboundCall): void {
    if (method === LISTEN && !this.#core.settings.sharedLink)
      this.#core.sendNotification('notifications/cancelled', ofSubscription(id, { requestId: id }))
  }

  begin(call: InboundCall): Answer | Promise<Answer> {
    return this.#core.endpoint.answer(call)
  }

  ask(call: InboundCall, method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body> {
    return this.parking.ask(call, method, params, options, () => this.#answering.roundOf(call))
  }

  written(call: InboundCall, result: Body): Body {
    return this.framing.framed(call.method, this.#core.translateAnswer(call, result) as Body)
  }

  resultText(call: InboundCall, result: Body | Serialised): string {
    const body = this.#core.translateAnswer(call, result)
    return body instanceof Serialised ? resultText(call.id, body) : this.framing.resultText(call.id, call.method, body)
  }

  refuse(id: RequestId, key: RequestId, error: ParleyError): void {
    this.#answering.refuseStateless(id, key, error)
  }

  #take({ message, origin, envelope, length }: Arrival, annotated: readonly HeaderParam[]): void {
    const key = origin?.key ?? message.id
    const objection =
      origin?.header === undefined
        ? undefined
        : headerObjection(message.method, message.params as Body, origin.header, annotated)
    if (objection !== undefined)
      return this.#answering.refuseStateless(
        message.id,
        key,
        new ParleyError('header_mismatch', { message: objection }),
      )
    const route = this.#route(envelope.version, message.method)
    const refused = this.#offers.breach(route, envelope)
    if (refused !== undefined) return this.#answering.refuseStateless(message.id, key, refused)
    // On a link of its own, all requests come from one client.
    const principal = this.#core.settings.sharedLink ? origin?.principal : this.#sessionId
    if (message.method === DISCOVER)
      return this.#answering.succeedStateless(message.id, key, this.#offers.discovery(envelope, this.framing))
    const era = new StatelessCall(this, envelope, key, principal, origin)
    this.#answering.take({ message, reply: undefined, era, route, length, origin, owner: undefined, within: false })
  }

  #route(version: ProtocolVersion, method: string): Route {
    if (this.#spoken?.of !== version)
      this.#spoken = { of: version, routes: routesFor(version, this.#core.settings.profile) }
    return this.#spoken.routes(method)
  }

  #annotated({ method, params }: RequestMessage): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    const name = method === 'tools/call' ? params?.['name'] : undefined
    return (typeof name === 'string' ? this.#core.endpoint.headerParams?.(name) : undefined) ?? NO_PARAMS
  }
}

/** D-28: a request that names no level wants no log messages. */
function wants(least: LogLevel | undefined, level: unknown): boolean {
  return least !== undefined && (logLevels as readonly unknown[]).indexOf(level) >= logLevels.indexOf(least)
}

/** D-04: every notification to a listener names its `subscriptions/listen`. */
function ofSubscription(id: RequestId, params: Body | undefined): Body {
  return { ...params, _meta: { ...(params?.['_meta'] as Body | undefined), [META.subscription]: id } }
}

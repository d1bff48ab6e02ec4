/**
 * The server's side of the stateless era: every request is taken by what it says of itself, and answered in the same
 * way (V4, F9).
 */
import { Charge } from '../../../collections/index.ts'
import { ParleyError, toParleyError } from '../../../errors/index.ts'
import type { Body, FrameOrigin, RequestId, RequestMessage } from '../../../jsonrpc/index.ts'
import { type LogLevel, logLevels, maySend } from '../../../protocol/index.ts'
import { type HeaderParam, headerObjection, META, methodIn, type ProtocolVersion } from '../../../versions/index.ts'
import { Parking } from '../../asking/parking.ts'
import type { SessionCore } from '../../core.ts'
import type { Identity } from '../../endpoint.ts'
import { isAllowed } from '../../guard.ts'
import type { Answering } from '../../incoming/answering.ts'
import type { InboundCall, Spoken } from '../../incoming/inbound-call.ts'
import { costOf } from '../../memory.ts'
import type { RequestOptions } from '../../options.ts'
import { shutDownUnanswered } from '../../outgoing/request-errors.ts'
import { type Route, type Routes, routesFor } from '../../routes.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { Framing } from './framing.ts'
import { Offers } from './offers.ts'

/** Told only to who listens for them (D-29). */
const NEWS: ReadonlySet<string> = new Set([
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

/** A request on its way to whoever answers it. */
interface Arrived {
  readonly message: RequestMessage
  readonly origin: FrameOrigin | undefined
  readonly envelope: Envelope
  /** Of its text. */
  readonly length: number
}

export class Stateless {
  readonly parking: Parking
  #framing: { readonly of: Identity; readonly framing: Framing } | undefined
  readonly #core: SessionCore
  readonly #answering: Answering
  readonly #sessionId: string
  readonly #offers: Offers
  /** Of the version that was spoken last. */
  #spoken: { of: ProtocolVersion; routes: Routes } | undefined
  /** Requests that wait until it is known who answers, or which headers they must have. */
  readonly #undecided = new Map<unknown, RequestMessage>()

  constructor(core: SessionCore, answering: Answering, sessionId: string) {
    this.#core = core
    this.#answering = answering
    this.#sessionId = sessionId
    this.#offers = new Offers(core)
    this.parking = new Parking(core, (call) => core.endpoint.answer(call))
  }

  /** Who answers may not be known before it has prepared itself. */
  get framing(): Framing {
    const { info } = this.#core.endpoint.prepare === undefined ? this.#core.self : this.#core.endpoint.introduce()
    if (this.#framing?.of !== info) this.#framing = { of: info, framing: new Framing(info) }
    return this.#framing.framing
  }

  /** That was spoken last. */
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
    const arrived: Arrived = { message, origin, envelope, length }
    if (prepared === undefined) return this.#check(arrived)
    const charge = this.#answering.objection(key, this.#undecided) ?? this.#charge(arrived)
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
        () => decide(() => this.#check(arrived)),
        (error) => decide(() => refuse(error)),
      )
      .catch(refuse)
  }

  /** What goes wrong before anything can be waited for goes wrong for the request alone. */
  #prepared({ capabilities }: Envelope, method: string): Promise<void> | undefined {
    try {
      return this.#core.endpoint.prepare?.(undefined, capabilities, method)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** True once, when nobody has given the request up meanwhile. */
  #settled(key: RequestId, message: RequestMessage): boolean {
    return this.#undecided.get(key) === message && this.#undecided.delete(key)
  }

  /** Holds the headers against the message; which ones there must be may have to be found out first. */
  #check(arrived: Arrived): void {
    const { message, origin } = arrived
    const annotated = origin?.header === undefined ? NO_PARAMS : this.#annotated(message)
    if (!(annotated instanceof Promise)) return this.#take(arrived, annotated)
    const key = origin?.key ?? message.id
    const charge = this.#charge(arrived)
    if (charge instanceof ParleyError) return this.#answering.refuseStateless(message.id, key, charge)
    this.#undecided.set(key, message)
    const decide = (known: readonly HeaderParam[]): void => {
      charge.give()
      if (this.#settled(key, message)) this.#take(arrived, known)
    }
    annotated.then(decide, () => decide(NO_PARAMS))
  }

  /** For a request that waits, given up or not, until it is known what becomes of it. */
  #charge({ message, origin, length }: Arrived): Charge | ParleyError {
    const budget = this.#core.budgetFor(origin)
    const cost = costOf(message.params, length)
    return this.#core.noRoom(budget, cost, message.method) ?? new Charge(budget, cost)
  }

  /** True when the request was given up before anything had come of it. */
  abandoned(key: unknown): boolean {
    return this.#undecided.delete(key)
  }

  /** Those of whom nothing is known yet will get no other answer. */
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
    if (NEWS.has(method) !== listens || (info !== undefined && !maySend(info, 'server'))) return
    if (method === 'notifications/message' && !wants(call.logLevel, params?.['level'])) return
    const declared = {
      client: call.caller.capabilities,
      server: this.#core.endpoint.introduce(call.caller.capabilities).capabilities,
    }
    if (!listens && !isAllowed(method, info, 'server', declared)) return
    this.#core.sendNotification(method, listens ? ofSubscription(call.id, params) : params, { relatedTo: key })
  }

  /** Where all messages share one channel, the end of listening is told twice: the specification wants both. */
  answered({ method, id }: InboundCall): void {
    if (method === LISTEN && !this.#core.settings.sharedLink)
      this.#core.sendNotification('notifications/cancelled', ofSubscription(id, { requestId: id }))
  }

  ask(call: InboundCall, method: string, params: Body | undefined, options: RequestOptions): Promise<Body> {
    return this.parking.ask(call, method, params, options, () => this.#answering.legOf(call))
  }

  written(call: InboundCall, result: Body): Body {
    const { resultDown } = call.route
    const translated =
      resultDown === undefined
        ? result
        : this.#core.translate(resultDown, result, this.#core.requestContext(call.params, call.onLoss))
    return this.framing.framed(call.method, translated ?? {})
  }

  #take({ message, origin, envelope, length }: Arrived, annotated: readonly HeaderParam[]): void {
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
    // Those who share a link that has no headers are one and the same client.
    const principal = this.#core.settings.sharedLink ? origin?.principal : this.#sessionId
    const spoken: Spoken = { engine: this, envelope, key, principal, address: origin?.address }
    if (message.method === DISCOVER)
      return this.#answering.succeedStateless(message.id, spoken, this.#offers.discovery(envelope, this.framing))
    this.#answering.take({ message, reply: undefined, spoken, route, length, origin, owner: undefined, within: false })
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

/** D-04: everything that is told to a listener names the request it listens with. */
function ofSubscription(id: RequestId, params: Body | undefined): Body {
  return { ...params, _meta: { ...(params?.['_meta'] as Body | undefined), [META.subscription]: id } }
}

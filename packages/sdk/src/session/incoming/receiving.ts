/** Reads frames of the link and passes each message to the part of the session that handles it. */
import { ParleyError } from '../../errors/index.ts'
import {
  answerIn,
  type Body,
  type FrameOrigin,
  type Incoming,
  type Invalid,
  type NotificationMessage,
  noteExact,
  parse,
  type RequestId,
  type RequestMessage,
} from '../../jsonrpc/index.ts'

import { eraOf, isVerdict, type ProtocolVersion, splitBatch, supports } from '../../versions/index.ts'
import type { SessionCore } from '../core.ts'
import type { CallEra } from '../eras/era.ts'
import { HandshakeCalls } from '../eras/handshake/calls.ts'
import { HANDSHAKE_METHODS, type HandshakeHost, ServerHandshake } from '../eras/handshake/server.ts'
import { hasEnvelope } from '../eras/stateless/envelope.ts'
import { StatelessServer } from '../eras/stateless/server.ts'
import type { OutgoingRequests } from '../outgoing/outgoing-requests.ts'
import { readProgress } from '../outgoing/progress.ts'
import { admits } from '../phase.ts'
import type { SessionView } from '../session-view.ts'
import type { Answering } from './answering.ts'
import { BatchReply, type Reply } from './batch-reply.ts'
import { requestsIn } from './held-messages.ts'
import { tooLong } from './lengths.ts'
import type { NotificationDispatcher } from './notification-dispatcher.ts'

/** Longest message before a session is open, in bytes. */
const MAX_INTRODUCTION = 64 * 1024

export interface Receivers {
  readonly requests: OutgoingRequests
  readonly answering: Answering
  readonly notifications: NotificationDispatcher
}

/** The steps of the handshake that the session follows. */
export interface HandshakeLife {
  readonly onOpened: () => void
  /** Whether the next step is the client's, which has only so much time for it. */
  readonly hurry: (hurry: boolean) => void
}

export class Receiving implements HandshakeHost {
  readonly #core: SessionCore
  readonly #requests: OutgoingRequests
  readonly #answering: Answering
  readonly #notifications: NotificationDispatcher
  readonly #session: SessionView
  readonly #life: HandshakeLife
  /** Made for the first request with an envelope. */
  #stateless: StatelessServer | undefined
  /** Made for the first request without one. */
  #calls: CallEra | undefined
  /** The request of this side with whose stream the current message came. */
  #within: RequestId | undefined
  /** Length of the text of the current message; undefined in a batch. */
  #length: number | undefined
  readonly #handshake: ServerHandshake

  constructor(core: SessionCore, receivers: Receivers, session: SessionView, life: HandshakeLife) {
    this.#core = core
    this.#requests = receivers.requests
    this.#answering = receivers.answering
    this.#notifications = receivers.notifications
    this.#session = session
    this.#life = life
    this.#handshake = new ServerHandshake(core, receivers.answering, this)
  }

  receive(text: string, parsed: Incoming | undefined, origin: FrameOrigin | undefined): void {
    const core = this.#core
    if (core.closed) return
    core.received(text)
    if (core.role === 'client' && this.#isKnown(text)) return
    const incoming = parsed ?? parse(text, core.settings.limits)
    const objection = tooLong(incoming, text.length)
    if (objection !== undefined) return this.#refuseTooLong(incoming, origin, objection)
    if (core.role === 'server') {
      if (core.endpoint.keepsDigits === true && incoming.kind === 'request') noteExact(text, incoming.message.params)
      if (incoming.kind === 'request' && this.#speaksForItself(incoming.message))
        return this.#statelessServer.receive(incoming.message, origin, text.length)
      // The introduction is kept as long as the session lives, so it may not be long.
      if (core.version === undefined && !this.#handshake.holds && text.length > MAX_INTRODUCTION)
        return this.#refuseLong(incoming)
      if (this.#handshake.hold(incoming, text.length)) return
    }
    this.#within = origin?.within
    this.#length = text.length
    if (incoming.kind === 'result')
      return this.#requests.settleResult(incoming.message.id, incoming.message.result, text)
    this.#dispatch(incoming, undefined)
  }

  /** Handles a message that waited for the answer to `initialize`. */
  take(message: Incoming): void {
    this.#length = undefined
    this.#dispatch(message, undefined)
  }

  /** A client that sends requests of the stateless era has no time limit for a handshake. */
  hurry(hurry: boolean): void {
    this.#life.hurry(hurry && this.#stateless === undefined)
  }

  onOpened(): void {
    this.#life.onOpened()
  }

  /** An answer whose text was read before need not be parsed again. */
  #isKnown(text: string): boolean {
    if (!this.#requests.comparing) return false
    const answer = answerIn(text)
    if (answer === undefined || this.#requests.isKnown(answer.id, answer.json) !== true) return false
    this.#requests.endLasting(answer.id)
    return true
  }

  /** The peer has closed the stream of a request. `key` is the id by which the link knows it. */
  abandoned(key: RequestId): void {
    this.#cancel(key, 'The client hung up')
  }

  #cancel(id: unknown, reason: unknown): void {
    if (this.#handshake.withdraw(id)) return this.#core.link.abandon?.(id as RequestId)
    if (!this.#stateless?.abandoned(id)) this.#answering.cancel(id, reason)
  }

  /** Answers every request that still waits with an error. */
  giveUp(): void {
    this.#handshake.giveUp()
    // On a shared link, the link tells the clients: it knows which of them only listen.
    if (this.#core.settings.sharedLink) return
    this.#stateless?.giveUp()
    this.#answering.giveUp()
  }

  /** Cancels all calls. */
  close(reason: string): void {
    this.#answering.abortAll(reason)
    this.#handshake.close()
    this.#stateless?.close(reason)
  }

  #speaksForItself(message: RequestMessage): boolean {
    if (this.#core.settings.sharedLink || hasEnvelope(message)) return true
    if (this.#core.version !== undefined) return false
    // A client that sent envelopes before and agreed on nothing has forgotten the envelope. Without handshake versions,
    // only the envelope can be missing.
    if (message.method === 'server/discover') return true
    return (
      !this.#handshake.holds &&
      (this.#stateless !== undefined || !this.#hasHandshake) &&
      !HANDSHAKE_METHODS.has(message.method)
    )
  }

  get #hasHandshake(): boolean {
    return this.#core.settings.versions.some((version) => eraOf(version) === 'handshake')
  }

  get #statelessServer(): StatelessServer {
    if (this.#stateless === undefined) {
      this.#stateless = new StatelessServer(this.#core, this.#answering, this.#session.id)
      // There is no handshake to wait for.
      this.#life.hurry(false)
    }
    return this.#stateless
  }

  #dispatch(incoming: Incoming, reply: Reply | undefined): void {
    switch (incoming.kind) {
      case 'request':
        return this.#onRequest(incoming.message, reply)
      case 'notification':
        return this.#onNotification(incoming.message)
      case 'result':
        return this.#requests.settleResult(incoming.message.id, incoming.message.result)
      case 'error':
        return this.#requests.settleError(incoming.message.id, incoming.message.error)
      case 'batch':
        return this.#onBatch(incoming.items)
      case 'invalid':
        return this.#onInvalid(incoming)
    }
  }

  #onRequest(message: RequestMessage, reply: Reply | undefined): void {
    const core = this.#core
    const { id, method } = message
    // D-08: stateless servers send no requests. They ask inside their results.
    if (!this.#core.era.isStateful) return core.ignore('request of a stateless server', method.slice(0, 80))
    if (!admits(core.role, core.phases.current, method))
      return this.#answering.refuse(id, this.#notAdmitted(method), reply)
    if (method === 'initialize') return this.#handshake.initialize(message, this.#length ?? 0)
    if (method === 'ping') return this.#answering.succeed(id, {}, reply)
    const breach = core.breach(core.route(method), core.otherRole)
    if (breach !== undefined)
      return this.#answering.refuse(id, core.endpoint.refusing?.(method, breach) ?? breach, reply)
    if (core.role === 'server') return this.#take(message, reply, undefined, false)
    const within = this.#within
    this.#take(message, reply, this.#requests.ownerOf(within), within !== undefined)
  }

  #take(message: RequestMessage, reply: Reply | undefined, owner: unknown, within: boolean): void {
    const route = this.#core.route(message.method)
    this.#calls ??= new HandshakeCalls(this.#core, this.#answering)
    this.#answering.take({
      message,
      reply,
      era: this.#calls,
      route,
      length: this.#length,
      origin: undefined,
      owner,
      within,
    })
  }

  /** Without an answer for a notification. */
  #refuseTooLong(incoming: Incoming, origin: FrameOrigin | undefined, error: ParleyError, reply?: Reply): void {
    if (incoming.kind !== 'request' || !this.#core.era.isStateful)
      return this.#core.ignore('message with a text that is too long', error.message)
    const { id } = incoming.message
    if (this.#core.settings.sharedLink) this.#answering.refuseStateless(id, origin?.key ?? id, error)
    else this.#answering.refuse(id, error, reply)
  }

  #onNotification(message: NotificationMessage): void {
    const core = this.#core
    const { method, params: given = {} } = message
    const params = core.era.notified(method, given)
    if (params === undefined) return
    // On a shared link, ids of one client mean nothing to another: clients close the stream instead.
    if (core.settings.sharedLink) return core.ignore('notification on a shared link', method.slice(0, 80))
    if (method === 'notifications/cancelled') return this.#cancel(params['requestId'], params['reason'])
    if (method === 'notifications/initialized' && core.role === 'server') return this.#handshake.initialized()
    if (core.version === undefined) return core.ignore('notification before initialize', method.slice(0, 80))
    if (method === 'notifications/progress') return this.#onProgress(params)
    const route = core.route(method)
    const breach = core.breach(route, core.otherRole)
    // Real servers announce changes that they never declared. This does no harm, so the notification is counted and
    // passed on.
    if (breach?.kind === 'capability_not_supported') core.stats.ignore('notification not declared')
    else if (breach !== undefined) return core.ignore('notification out of place', breach.message)
    core.stats.of(method).received++
    const outcome = route.paramsUp === undefined ? params : route.paramsUp(params, core.translationContext(undefined))
    if (isVerdict(outcome)) return core.ignore('notification without meaning', method)
    this.#notifications.dispatch(method, outcome ?? {}, this.#length)
    if (core.endpoint.notified === undefined) return
    const owner = core.role === 'client' ? this.#requests.ownerOf(this.#within) : undefined
    this.#notifications.guarded(method, () => core.endpoint.notified?.(method, outcome ?? {}, this.#session, owner))
  }

  #onProgress(params: Body): void {
    const progress = readProgress(params)
    if (progress === undefined) return this.#core.ignore('progress without a number', '')
    this.#requests.progress(params['progressToken'], progress)
  }

  /** M1, A-01, B-01: only one version has batches. In other versions each request of a batch gets an error. */
  #onBatch(items: readonly Incoming[]): void {
    const core = this.#core
    if (core.version === undefined || !supports(core.version, 'batch')) return this.#refuseBatch(items)
    const { messages, answer, reply } = splitBatch(items)
    const first = items.find((item) => item.kind === 'request')
    const relatedTo = first?.kind === 'request' ? first.message.id : undefined
    const send = (text: string | undefined): void => {
      if (text !== undefined) core.trySend(text, relatedTo === undefined ? undefined : { relatedTo, final: true })
      else if (relatedTo !== undefined) core.link.abandon?.(relatedTo)
    }
    if (reply !== undefined) send(reply)
    const collector = new BatchReply(answer, send)
    this.#length = undefined
    for (const message of messages) {
      const objection = tooLong(message, Number.POSITIVE_INFINITY)
      if (objection === undefined) this.#dispatch(message, collector)
      else this.#refuseTooLong(message, undefined, objection, collector)
    }
  }

  #refuseBatch(items: readonly Incoming[]): void {
    this.#core.ignore('batch', `${items.length} messages`)
    const version = this.#spoken
    const error = new ParleyError(version === undefined ? 'batch_invalid' : 'batch_not_supported', {
      message:
        version === undefined
          ? 'The handshake must not be part of a batch'
          : `Batches are not part of protocol version ${version}`,
    })
    for (const item of items) if (item.kind === 'request') this.#answering.refuse(item.message.id, error, undefined)
  }

  #refuseLong(incoming: Incoming): void {
    if (incoming.kind === 'invalid') return this.#onInvalid(incoming)
    const error = new ParleyError('message_too_large', {
      message: `Before the handshake, messages are limited to ${MAX_INTRODUCTION} characters`,
    })
    this.#core.ignore('invalid message', error.message)
    for (const id of requestsIn(incoming)) this.#answering.refuse(id, error, undefined)
  }

  #onInvalid(invalid: Invalid): void {
    if (invalid.isAnswer) return this.#requests.settleInvalid(invalid.id, invalid.error)
    this.#core.ignore('invalid message', invalid.error.message)
    if (!this.#core.era.isStateful) return
    if (invalid.id !== undefined) return this.#core.sendError(invalid.id, invalid.error)
    // A server process may print other text on this stream. An answer could make it print more, without end.
    if (this.#core.role === 'client') return
    // C-27: later schemas leave the id out. Before them only JSON-RPC applies, which wants a null id.
    const version = this.#spoken
    this.#core.sendError(
      version !== undefined && supports(version, 'error-without-id') ? undefined : null,
      invalid.error,
    )
  }

  /** The agreed version, or the version of the last request with an envelope. */
  get #spoken(): ProtocolVersion | undefined {
    return this.#core.version ?? this.#stateless?.version
  }

  #notAdmitted(method: string): ParleyError {
    const { role, phases, version } = this.#core
    const phase = phases.current
    if (method === 'initialize' && role === 'server' && version !== undefined) {
      return new ParleyError('already_initialized', { message: 'initialize was answered before; open a new session' })
    }
    if (phase === 'shutting_down')
      return new ParleyError('shutting_down', { message: `${method} came while the session was shutting down` })
    if (version !== undefined)
      return new ParleyError('method_not_found', { message: `${method} is not answered by a ${role}` })
    return new ParleyError('not_initialized', {
      message: `${method} is not allowed before initialize is complete`,
      data: { phase },
    })
  }
}

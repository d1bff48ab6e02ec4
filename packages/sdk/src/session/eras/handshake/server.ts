/** The server's side of `initialize`: prepares the endpoint, agrees on a version, and keeps messages that come too early. */
import { ParleyError, toParleyError } from '../../../errors/index.ts'
import type { Incoming, RequestId, RequestMessage } from '../../../jsonrpc/index.ts'
import type { SessionCore } from '../../core.ts'
import type { Answering } from '../../incoming/answering.ts'
import { HeldMessages, requestsIn } from '../../incoming/held-messages.ts'
import { endedUnanswered } from '../../outgoing/request-errors.ts'
import { type InitializeRequest, initializeResult, readInitialize } from './initialize.ts'

/** Requests that need no envelope before both sides have agreed on a version. */
export const HANDSHAKE_METHODS: ReadonlySet<string> = new Set(['initialize', 'ping'])
/** Messages that wait for the answer to `initialize`. All others are handled at once. */
const WAITING: ReadonlySet<Incoming['kind']> = new Set(['request', 'notification', 'batch'])

export interface HandshakeHost {
  /** Handles a message that had to wait. */
  take(message: Incoming): void
  /** Starts or stops the time limit for the client's next step. */
  hurry(hurry: boolean): void
  onOpened(): void
}

export class ServerHandshake {
  readonly #core: SessionCore
  readonly #answering: Answering
  readonly #host: HandshakeHost
  /** The `initialize` that the endpoint prepares for. */
  #preparing: RequestMessage | undefined
  /** Messages that came after that `initialize`. */
  #held: HeldMessages | undefined

  constructor(core: SessionCore, answering: Answering, host: HandshakeHost) {
    this.#core = core
    this.#answering = answering
    this.#host = host
  }

  /** Whether messages wait for the answer to `initialize`. */
  get holds(): boolean {
    return this.#held !== undefined
  }

  /** True when the message has to wait, or there is no room for it. */
  hold(incoming: Incoming, length: number): boolean {
    const held = this.#held
    if (held === undefined || !WAITING.has(incoming.kind)) return false
    if (incoming.kind === 'request' && HANDSHAKE_METHODS.has(incoming.message.method)) return false
    // A request in a batch is cancelled when the batch is read.
    if (isCancellation(incoming) && !held.hasInBatch(incoming.message.params?.['requestId'])) return false
    const core = this.#core
    const full = core.draining ? undefined : held.add(incoming, length)
    if (full === undefined && !core.draining) return true
    const error = core.draining
      ? new ParleyError('shutting_down', { message: 'The server is shutting down' })
      : new ParleyError('too_many_requests', { message: `No more than ${full} may wait for the answer to initialize` })
    core.ignore('message during initialize', error.message)
    for (const id of requestsIn(incoming)) this.#answering.refuse(id, error, undefined)
    return true
  }

  /** True when the request was waiting; it waits no longer. */
  withdraw(id: unknown): boolean {
    return this.#held?.withdraw(id) === true
  }

  /** A handshake that fails changes nothing, so the client may try again. `length`: of the text of the message. */
  initialize(message: RequestMessage, length: number): void {
    const core = this.#core
    try {
      if (this.#preparing !== undefined)
        throw new ParleyError('already_initialized', { message: 'Another initialize is still being answered' })
      const asked = readInitialize(message.params, core.settings.versions, core.settings.profile)
      core.keepIntroduction(length)
      const prepared = core.endpoint.prepare?.(asked.peer, asked.peer.capabilities, message.method)
      if (prepared === undefined) this.#agree(message, asked)
      else this.#await(message, asked, prepared)
    } catch (error) {
      this.#refuse(message, error)
    }
  }

  #await(message: RequestMessage, asked: InitializeRequest, prepared: Promise<void>): void {
    const core = this.#core
    const { maxInFlight, maxQueuedNotifications, limits } = core.settings
    this.#held ??= new HeldMessages({
      maxRequests: maxInFlight,
      maxOthers: maxQueuedNotifications,
      maxLength: limits.maxBytes,
      budget: core.budget,
    })
    this.#preparing = message
    this.#host.hurry(false)
    const done = this.#answering.prepare()
    const decide = (decision: () => void): void => {
      this.#preparing = undefined
      this.#host.hurry(true)
      const taken = (): void => {
        decision()
        this.#takeHeld()
      }
      done(core.closed ? undefined : taken)
    }
    prepared.then(
      () => decide(() => this.#agree(message, asked)),
      (error) => decide(() => this.#refuse(message, error)),
    )
  }

  #agree(message: RequestMessage, { version, requested, peer, losses }: InitializeRequest): void {
    const core = this.#core
    try {
      const { profile, clock } = core.settings
      core.self = core.endpoint.introduce(peer.capabilities)
      const result = initializeResult(version, core.self, profile, core.translationContext(undefined))
      core.agreeOn(version, peer)
      core.link.negotiated?.(version)
      core.phases.fire('initialize', clock.now())
      core.report({ type: 'negotiated', requested, version })
      for (const loss of losses) core.onLoss(loss)
      this.#answering.succeed(message.id, result, undefined)
    } catch (error) {
      this.#refuse(message, error)
    }
  }

  #refuse(message: RequestMessage, error: unknown): void {
    this.#answering.refuse(message.id, toParleyError(error), undefined)
  }

  /** The client has sent `notifications/initialized`. */
  initialized(): void {
    if (!this.#core.phases.fire('accept', this.#core.settings.clock.now()))
      return this.#core.ignore('initialized out of place', this.#core.phases.current)
    this.#host.onOpened()
  }

  /**
   * Handles the messages that waited, in their order, before any message that comes now. After a handshake that failed,
   * each gets the error that it came too early.
   */
  #takeHeld(): void {
    // One of them may be another attempt at the handshake.
    while (this.#preparing === undefined) {
      const next = this.#held?.next()
      if (next === undefined) break
      this.#host.take(next)
    }
    if (this.#preparing !== undefined) return
    this.#held = undefined
    // A client that has closed its end still gets its answers, but the session takes no new requests.
    if (this.#core.draining) this.#core.phases.fire('shutdown', this.#core.settings.clock.now())
  }

  /** Answers every request that still waits with the error that the session has ended. */
  giveUp(): void {
    const ids: RequestId[] = this.#preparing === undefined ? [] : [this.#preparing.id]
    for (let next = this.#held?.next(); next !== undefined; next = this.#held?.next()) ids.push(...requestsIn(next))
    for (const id of ids) this.#answering.refuse(id, endedUnanswered(), undefined)
  }

  close(): void {
    this.#held?.clear()
    this.#held = undefined
  }
}

function isCancellation(incoming: Incoming): incoming is Extract<Incoming, { kind: 'notification' }> {
  return incoming.kind === 'notification' && incoming.message.method === 'notifications/cancelled'
}

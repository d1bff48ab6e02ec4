/** Answers the peer's requests: exactly one answer each, none after a cancellation, none left behind. */
import { ParleyError, toParleyError } from '../errors/index.ts'
import { type Body, errorText, exceedsBytes, type RequestId, type RequestMessage, resultText, Serialised } from '../jsonrpc/index.ts'
import type { Reply } from './batch-reply.ts'
import type { SessionCore } from './core.ts'
import { InboundCall } from './inbound.ts'
import type { Session } from './session.ts'
import { relatedTaskOf, relatedTo } from './tasks/related.ts'

export interface InFlight {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
}

/** Shared by all sessions that answer nothing at the moment: most do most of the time. */
const NONE: Map<RequestId, InboundCall> = new Map()

export class Answering {
  readonly #core: SessionCore
  readonly #session: Session
  #inFlight = NONE
  #waiting: { message: RequestMessage; reply: Reply | undefined }[] | undefined
  #onIdle: (() => void) | undefined

  constructor(core: SessionCore, session: Session) {
    this.#core = core
    this.#session = session
  }

  get size(): number {
    return this.#inFlight.size + (this.#waiting?.length ?? 0)
  }

  list(): InFlight[] {
    return [...this.#inFlight.values()].map(({ id, method, startedAt }) => ({ id, method, startedAt }))
  }

  /** Takes a request that phase and guard have let through. */
  take(message: RequestMessage, reply: Reply | undefined): void {
    const { settings } = this.#core
    if (this.#inFlight.has(message.id) || this.#waiting?.some((waiting) => waiting.message.id === message.id)) {
      return this.refuse(message.id, new ParleyError('duplicate_request_id', { message: `Request id ${JSON.stringify(message.id)} is still in flight` }), reply)
    }
    if (this.size >= settings.maxInFlight) {
      return this.refuse(message.id, new ParleyError('too_many_requests', { message: `${settings.maxInFlight} requests are already being answered` }), reply)
    }
    if (!this.#core.paused) return this.#run(message, reply)
    this.#waiting ??= []
    this.#waiting.push({ message, reply })
  }

  /** Runs what waited while the session was paused. */
  flush(): void {
    for (const { message, reply } of this.#waiting?.splice(0) ?? []) this.#run(message, reply)
  }

  cancel(id: unknown, reason: unknown): void {
    const call = typeof id === 'string' || typeof id === 'number' ? this.#inFlight.get(id) : undefined
    if (call !== undefined) {
      call.cancel(typeof reason === 'string' ? reason.slice(0, 500) : 'Cancelled by the peer')
      this.#skip(call.id, call.reply)
      return this.#forget(call)
    }
    const waiting = this.#waiting?.find(({ message }) => message.id === id)
    if (waiting === undefined) return this.#core.ignore('cancellation of nothing', `request ${String(JSON.stringify(id)).slice(0, 80)}`)
    this.#waiting = this.#waiting?.filter((other) => other !== waiting)
    this.#skip(waiting.message.id, waiting.reply)
  }

  /** Aborts everything: the peer is gone or has been told to expect nothing. */
  abortAll(reason: string): void {
    this.#waiting = undefined
    for (const call of [...this.#inFlight.values()]) {
      call.cancel(reason)
      this.#forget(call)
    }
  }

  /** Resolves when nothing is being answered. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  refuse(id: RequestId, error: ParleyError, reply: Reply | undefined): void {
    this.#deliver(id, this.#errorFrame(id, error), reply)
  }

  succeed(id: RequestId, result: Body, reply: Reply | undefined): void {
    this.#deliver(id, resultText(id, result), reply)
  }

  #run(message: RequestMessage, reply: Reply | undefined): void {
    const { method } = message
    const core = this.#core
    const counters = core.stats.of(method)
    counters.received++
    const route = core.route(method)
    let call: InboundCall | undefined
    try {
      const params = route.paramsUp === undefined ? message.params : core.translate(route.paramsUp, message.params, core.translationContext(undefined))
      call = new InboundCall(message.id, route, params ?? {}, this.#session, core.lastReceivedAt, reply)
      const outcome = core.endpoint.answer(call)
      if (isPromise(outcome)) this.#await(call, outcome)
      else this.#finish(call, outcome)
    } catch (error) {
      if (call === undefined) this.refuse(message.id, toParleyError(error), reply)
      else this.#fail(call, error)
    }
  }

  #await(call: InboundCall, outcome: Promise<Body | Serialised>): void {
    if (this.#inFlight === NONE) this.#inFlight = new Map()
    this.#inFlight.set(call.id, call)
    outcome.then(
      (result) => this.#finish(call, result),
      (error) => this.#fail(call, error),
    )
  }

  #finish(call: InboundCall, result: Body | Serialised): void {
    if (call.cancelled) return this.#forget(call)
    try {
      const text = this.#resultFrame(call, result)
      this.#answered(call, text, result instanceof Serialised ? result : undefined)
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #resultFrame(call: InboundCall, result: Body | Serialised): string {
    const { resultDown } = call.route
    let body: Body | Serialised = markedAsTask(call, result ?? {})
    if (resultDown !== undefined && !(body instanceof Serialised)) {
      body = this.#core.translate(resultDown, body, this.#core.translationContext(call.params)) ?? {}
    }
    const text = resultText(call.id, body)
    const { maxBytes } = this.#core.settings.limits
    if (!exceedsBytes(text, maxBytes)) return text
    const kind = call.method === 'tools/call' ? 'tool_result_too_large' : 'internal_error'
    throw new ParleyError(kind, { message: `The result is longer than ${maxBytes} bytes` })
  }

  #fail(call: InboundCall, thrown: unknown): void {
    if (call.cancelled) return this.#forget(call)
    const error = toParleyError(thrown)
    this.#core.stats.of(call.method).failed++
    if (error.kind === 'internal_error') this.#core.reportError(error.cause ?? error, `answering ${call.method}`)
    this.#answered(call, this.#errorFrame(call.id, error))
  }

  #answered(call: InboundCall, text: string, kept?: Serialised): void {
    call.answered = true
    this.#deliver(call.id, text, call.reply, kept)
    this.#forget(call)
  }

  #forget(call: InboundCall): void {
    // Requests answered on the spot were never listed, and an id may already be in use again.
    if (this.#inFlight.get(call.id) === call) this.#inFlight.delete(call.id)
    call.settle()
    if (this.#onIdle !== undefined && this.size === 0) {
      this.#onIdle()
      this.#onIdle = undefined
    }
  }

  #errorFrame(id: RequestId, error: ParleyError): string {
    const wire = error.toWire(this.#core.version)
    try {
      return errorText(id, wire)
    } catch {
      return errorText(id, { code: wire.code, message: wire.message })
    }
  }

  #skip(id: RequestId, reply: Reply | undefined): void {
    if (reply === undefined) this.#core.link.abandon?.(id)
    else reply.skip(id)
  }

  #deliver(id: RequestId, text: string, reply: Reply | undefined, kept?: Serialised): void {
    if (reply === undefined) this.#core.trySend(text, kept === undefined ? { relatedTo: id, final: true } : { relatedTo: id, final: true, kept })
    else reply.answer(id, text)
  }
}

/** C-25: what belongs to a task says so, in both directions; requests about a task name it anyway. */
function markedAsTask({ params, method }: InboundCall, result: Body | Serialised): Body | Serialised {
  if (params['_meta'] === undefined || result instanceof Serialised) return result
  const taskId = relatedTaskOf(params)
  return taskId === undefined || method.startsWith('tasks/') ? result : relatedTo(taskId, result)
}

function isPromise(value: unknown): value is Promise<Body | Serialised> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}

/** One request of the peer while it is being answered. Built for every request, so everything dear is made on first use. */
import { ParleyError } from '../errors/index.ts'
import type { Body, RequestId } from '../jsonrpc/index.ts'
import type { Reply } from './batch-reply.ts'
import type { Duration } from './duration.ts'
import type { Inbound, MessageContext } from './endpoint.ts'
import type { RequestOptions } from './options.ts'
import type { Route } from './routes.ts'
import type { Session } from './session.ts'

export class InboundCall implements Inbound {
  readonly id: RequestId
  readonly method: string
  readonly params: Body
  readonly session: Session
  readonly route: Route
  readonly startedAt: number
  cancelled = false
  /** Set once the answer is on its way: nothing that belongs to the request may follow it. */
  answered = false
  /** Set for members of a batch: answers go there instead of to the link. */
  readonly reply: Reply | undefined
  #controller: AbortController | undefined
  #cancelReason: unknown
  #lastProgress = Number.NEGATIVE_INFINITY
  #afterAnswer: (() => void) | undefined

  constructor(id: RequestId, route: Route, params: Body, session: Session, startedAt: number, reply: Reply | undefined) {
    this.id = id
    this.method = route.method
    this.route = route
    this.params = params
    this.session = session
    this.startedAt = startedAt
    this.reply = reply
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.#cancelReason)
    }
    return this.#controller.signal
  }

  get context(): MessageContext {
    const meta = this.params['_meta'] as Body | undefined
    return {
      direction: this.session.role === 'server' ? 'client_to_server' : 'server_to_client',
      transport: this.session.transport,
      sessionId: this.session.id,
      receivedAt: this.startedAt,
      traceparent: stringOf(meta?.['traceparent']),
      tracestate: stringOf(meta?.['tracestate']),
    }
  }

  cancel(reason: string): void {
    if (this.cancelled) return
    this.cancelled = true
    this.#cancelReason = new ParleyError('request_cancelled', { message: reason })
    this.#controller?.abort(this.#cancelReason)
  }

  progress(progress: number, total?: number, message?: string): void {
    const token = (this.params['_meta'] as Body | undefined)?.['progressToken']
    if ((typeof token !== 'string' && typeof token !== 'number') || !(progress > this.#lastProgress)) return
    this.#lastProgress = progress
    const params: Body = { progressToken: token, progress }
    if (total !== undefined) params['total'] = total
    if (message !== undefined) params['message'] = message
    this.notify('notifications/progress', params)
  }

  notify(method: string, params?: Body): void {
    if (!this.cancelled && !this.answered) this.session.notify(method, params, { relatedTo: this.id })
  }

  release(retry?: Duration): void {
    if (!this.cancelled && !this.answered) this.session.release(this.id, retry)
  }

  request(method: string, params?: Body, options: RequestOptions = {}): Promise<Body> {
    const signal = options.signal === undefined ? this.signal : AbortSignal.any([options.signal, this.signal])
    return this.session.request(method, params, { ...options, signal, relatedTo: this.id })
  }

  afterAnswer(run: () => void): void {
    if (this.answered || this.cancelled) run()
    else this.#afterAnswer = run
  }

  /** The request is behind us. */
  settle(): void {
    const run = this.#afterAnswer
    this.#afterAnswer = undefined
    run?.()
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

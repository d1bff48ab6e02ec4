/**
 * The link of all stateless requests of one endpoint. Each is a POST, and its messages go out on the response (D-61,
 * D-62).
 */
import { IdTable } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import {
  errorText,
  type FrameOrigin,
  type Incoming,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../../jsonrpc/index.ts'
import { shutDownUnanswered } from '../../session/index.ts'
import { type Exchange, type ResponseHeaders, type Sink, sseEvent } from '../../transport/index.ts'
import { newestVersion } from '../../versions/index.ts'
import type { Heartbeat, HeartbeatItem } from '../heartbeat.ts'
import type { NextTick, NextTickTask } from '../next-tick.ts'
import type { HttpSettings } from '../options.ts'
import { refuseWith } from '../responses/refusal.ts'
import {
  answerBody,
  BEATS_BEFORE_STREAM,
  BEATS_PER_HEARTBEAT,
  JSON_HEADERS,
  KEEP_ALIVE,
  STREAM_HEADERS,
  STREAM_OPENED,
} from '../responses/response.ts'

export type IncomingRequest = Extract<Incoming, { kind: 'request' }>

export interface StatelessLinkHost {
  readonly settings: Pick<HttpSettings, 'answer' | 'maxRequests' | 'maxUnread'>
  readonly heartbeat: Heartbeat
  readonly nextTick: NextTick
}

/** This request is always answered with a stream, and its answer ends the stream. */
const LISTEN = 'subscriptions/listen'

/** Headers of statuses for temporary refusals. */
const headersByStatus: Readonly<Record<number, ResponseHeaders>> = {
  429: { ...JSON_HEADERS, 'retry-after': '1' },
  503: { ...JSON_HEADERS, 'retry-after': '5' },
}

function headersOf(status: number, retryAfter: number | undefined): ResponseHeaders {
  const usual = headersByStatus[status] ?? JSON_HEADERS
  return retryAfter === undefined ? usual : { ...usual, 'retry-after': String(retryAfter) }
}

/** A request that waits for its answer. */
class Reply implements HeartbeatItem, NextTickTask {
  lastBeat = 0
  bagIndex: number | undefined
  sink: Sink | undefined
  /** Stops watching the connection. */
  unwatch: (() => void) | undefined
  readonly exchange: Exchange
  /** Unique. Different clients may use the same request id. */
  readonly key: number
  readonly id: RequestId
  readonly listens: boolean
  readonly #link: StatelessLink

  constructor(link: StatelessLink, exchange: Exchange, key: number, { id, method }: IncomingRequest['message']) {
    this.#link = link
    this.exchange = exchange
    this.key = key
    this.id = id
    this.listens = method === LISTEN
  }

  beat(now: number): void {
    const silent = now - this.lastBeat
    if (this.sink === undefined) {
      if (silent >= BEATS_BEFORE_STREAM) this.#link.openStream(this)
    } else if (silent >= BEATS_PER_HEARTBEAT) {
      this.lastBeat = now
      this.sink.write(KEEP_ALIVE)
    }
  }

  onNextTick(): void {
    this.#link.openStream(this)
  }
}

export class StatelessLink implements Link {
  readonly transport = 'http'
  readonly #host: StatelessLinkHost
  readonly #replies = new IdTable<Reply>()
  #events: LinkEvents | undefined
  #closed = false
  #lastKey = 0

  constructor(host: StatelessLinkHost) {
    this.#host = host
  }

  /** The number of requests that wait for their answer. */
  get size(): number {
    return this.#replies.size
  }

  open(events: LinkEvents): void {
    this.#events = events
  }

  /** Handles a posted request. The exchange is answered when the request is. */
  ask(exchange: Exchange, incoming: IncomingRequest, principal?: string): void {
    const { message } = incoming
    const { maxRequests } = this.#host.settings
    if (this.#closed) return refuseNow(exchange, message.id, 503, shutDownUnanswered())
    if (this.#replies.size >= maxRequests) {
      return refuseNow(
        exchange,
        message.id,
        429,
        new ParleyError('too_many_requests', { message: `${maxRequests} requests are already being answered` }),
      )
    }
    const reply = new Reply(this, exchange, ++this.#lastKey, message)
    this.#replies.set(reply.key, reply)
    try {
      this.#events?.frame(exchange.body, incoming, new ExchangeOrigin(exchange, reply.key, principal))
    } catch (error) {
      this.#forget(reply)
      throw error
    }
    // The request may wait for long, so its text is freed.
    exchange.body = ''
    // Most requests are answered by now, and their connection need not be watched.
    if (this.#isOpen(reply)) this.#watch(reply)
  }

  /** Handles a posted notification. */
  deliver(exchange: Exchange, incoming: Incoming, principal?: string): void {
    this.#events?.frame(exchange.body, incoming, new ExchangeOrigin(exchange, ++this.#lastKey, principal))
  }

  send(frame: string, options?: SendOptions): void {
    if (this.#closed) throw new ParleyError('transport_error', { message: 'The HTTP endpoint is closed' })
    const relatedTo = options?.relatedTo
    const reply = relatedTo === undefined ? undefined : this.#replies.get(relatedTo)
    // The client is gone, and there is no other connection to it.
    if (reply === undefined) return
    if (options?.final === true) this.#answer(reply, frame, options)
    else if (reply.sink !== undefined) this.#write(reply, reply.sink, frame)
    else if (reply.listens || this.#host.settings.answer !== 'json') this.openStream(reply, frame)
  }

  /** Answers waiting requests with an error and ends streams. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    const error = shutDownUnanswered()
    for (const reply of this.#replies.values()) {
      const { sink, exchange, id, listens } = reply
      this.#forget(reply)
      if (sink === undefined) refuseNow(exchange, id, 503, error)
      // The end of a listen stream tells the client to open a new one.
      else sink.end(listens ? undefined : sseEvent({ data: errorText(id, error.toWire(newestVersion)) }))
    }
  }

  /** Turns a waiting response into a stream, unless it was answered. `first`: the first message, if there is one. */
  openStream(reply: Reply, first?: string): void {
    if (reply.sink !== undefined || !this.#isOpen(reply)) return
    if (reply.exchange.gone) return this.#lost(reply)
    const sink = reply.exchange.stream(200, STREAM_HEADERS)
    reply.sink = sink
    sink.onClose(() => this.#lost(reply))
    if (!this.#isOpen(reply)) return
    sink.write(first === undefined ? STREAM_OPENED : sseEvent({ data: first }))
    this.#host.heartbeat.add(reply)
  }

  #answer(reply: Reply, frame: string, { status = 200, retryAfter, kept }: SendOptions): void {
    this.#forget(reply)
    const { sink, exchange } = reply
    if (sink !== undefined) sink.end(sseEvent({ data: frame }))
    else if (status === 200 && this.#host.settings.answer === 'sse')
      exchange.respond(200, STREAM_HEADERS, sseEvent({ data: frame }))
    else exchange.respond(status, headersOf(status, retryAfter), answerBody(reply.id, frame, kept))
  }

  #write(reply: Reply, sink: Sink, frame: string): void {
    // A client that does not read is disconnected. That cancels the request, because the stream cannot be resumed.
    if (sink.buffered > this.#host.settings.maxUnread) return this.#lost(reply)
    sink.write(sseEvent({ data: frame }))
    reply.lastBeat = this.#host.heartbeat.now
  }

  #watch(reply: Reply): void {
    const unwatch = reply.exchange.onGone(() => this.#lost(reply))
    if (!this.#isOpen(reply)) return unwatch()
    reply.unwatch = unwatch
    if (reply.sink !== undefined) return
    const { answer } = this.#host.settings
    // The stream opens in the next turn, so that an answer that is almost ready is sent in one piece.
    if (answer === 'sse') this.#host.nextTick.add(reply)
    else if (answer === 'auto' || reply.listens) this.#host.heartbeat.add(reply)
  }

  /** D-63: a client cancels a request by closing the connection. */
  #lost(reply: Reply): void {
    if (!this.#isOpen(reply)) return
    this.#forget(reply)
    reply.sink?.abort()
    this.#events?.abandoned?.(reply.key)
  }

  #isOpen(reply: Reply): boolean {
    return this.#replies.has(reply.key)
  }

  #forget(reply: Reply): void {
    this.#replies.delete(reply.key)
    this.#host.heartbeat.remove(reply)
    reply.unwatch?.()
  }
}

/** Reads the address only when it is used. */
class ExchangeOrigin implements FrameOrigin {
  readonly key: number
  readonly header: (name: string) => string | undefined
  declare readonly principal?: string
  readonly #exchange: Exchange

  constructor(exchange: Exchange, key: number, principal: string | undefined) {
    this.key = key
    this.header = (name) => exchange.header(name)
    if (principal !== undefined) this.principal = principal
    this.#exchange = exchange
  }

  get address(): string | undefined {
    return this.#exchange.address
  }
}

function refuseNow(exchange: Exchange, id: RequestId, status: number, error: ParleyError): void {
  refuseWith(exchange, status, error.toWire(newestVersion), headersByStatus[status], id)
}

/**
 * All requests of the stateless era at one endpoint: each is a POST of its own, and whatever belongs to it goes out on
 * its response (D-61, D-62).
 */
import { IdTable } from '../collections/index.ts'
import { ParleyError } from '../errors/index.ts'
import {
  errorText,
  type FrameOrigin,
  type Incoming,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../jsonrpc/index.ts'
import { shutDownUnanswered } from '../session/index.ts'
import { type Exchange, type ResponseHeaders, type Sink, sseEvent } from '../transport/index.ts'
import { newestVersion } from '../versions/index.ts'
import type { HttpSettings } from './options.ts'
import type { Beating, Pulse } from './pulse.ts'
import { refuseWith } from './refusal.ts'
import {
  answerBody,
  BEATS_PER_HEARTBEAT,
  HEARTBEAT,
  JSON_HEADERS,
  OPENING,
  PATIENCE,
  STREAM_HEADERS,
} from './response.ts'
import type { Hurried, Soon } from './soon.ts'

export type Asking = Extract<Incoming, { kind: 'request' }>

export interface StatelessHost {
  readonly settings: Pick<HttpSettings, 'answer' | 'maxRequests' | 'maxUnread'>
  readonly pulse: Pulse
  readonly soon: Soon
}

/** The one request whose answer is the end of a stream, however answers are given otherwise. */
const LISTEN = 'subscriptions/listen'

/** Statuses that say: not now. */
const headersFor: Readonly<Record<number, ResponseHeaders>> = {
  429: { ...JSON_HEADERS, 'retry-after': '1' },
  503: { ...JSON_HEADERS, 'retry-after': '5' },
}

function headersOf(status: number, retryAfter: number | undefined): ResponseHeaders {
  const usual = headersFor[status] ?? JSON_HEADERS
  return retryAfter === undefined ? usual : { ...usual, 'retry-after': String(retryAfter) }
}

/** A request that waits for its answer. */
class Reply implements Beating, Hurried {
  lastBeat = 0
  bagIndex: number | undefined
  sink: Sink | undefined
  /** Ends the watch over the connection. */
  unwatch: (() => void) | undefined
  readonly exchange: Exchange
  /** The ids of different clients may be the same; keys are not. */
  readonly key: number
  readonly id: RequestId
  readonly listens: boolean
  readonly #link: StatelessLink

  constructor(link: StatelessLink, exchange: Exchange, key: number, { id, method }: Asking['message']) {
    this.#link = link
    this.exchange = exchange
    this.key = key
    this.id = id
    this.listens = method === LISTEN
  }

  beat(now: number): void {
    const silent = now - this.lastBeat
    if (this.sink === undefined) {
      if (silent >= PATIENCE) this.#link.openStream(this)
    } else if (silent >= BEATS_PER_HEARTBEAT) {
      this.lastBeat = now
      this.sink.write(HEARTBEAT)
    }
  }

  hurry(): void {
    this.#link.openStream(this)
  }
}

export class StatelessLink implements Link {
  readonly transport = 'http'
  readonly #host: StatelessHost
  readonly #replies = new IdTable<Reply>()
  #events: LinkEvents | undefined
  #closed = false
  #lastKey = 0

  constructor(host: StatelessHost) {
    this.#host = host
  }

  /** How many requests wait for their answer. */
  get size(): number {
    return this.#replies.size
  }

  open(events: LinkEvents): void {
    this.#events = events
  }

  /** A posted request: the exchange is answered when it is. */
  ask(exchange: Exchange, incoming: Asking, principal?: string): void {
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
    // A request may wait for long; its text is not needed again.
    exchange.body = ''
    // Most are answered by now, and need nobody to watch over them.
    if (this.#isOpen(reply)) this.#watch(reply)
  }

  /** A posted message that wants no answer. */
  deliver(exchange: Exchange, incoming: Incoming, principal?: string): void {
    this.#events?.frame(exchange.body, incoming, new ExchangeOrigin(exchange, ++this.#lastKey, principal))
  }

  send(frame: string, options?: SendOptions): void {
    if (this.#closed) throw new ParleyError('transport_error', { message: 'The HTTP endpoint is closed' })
    const relatedTo = options?.relatedTo
    const reply = relatedTo === undefined ? undefined : this.#replies.get(relatedTo)
    // There is no other way to this client, and it has hung up or never was there.
    if (reply === undefined) return
    if (options?.final === true) this.#answer(reply, frame, options)
    else if (reply.sink !== undefined) this.#write(reply, reply.sink, frame)
    else if (reply.listens || this.#host.settings.answer !== 'json') this.openStream(reply, frame)
  }

  /** Whoever still waits is told why there is no answer; streams end. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    const error = shutDownUnanswered()
    for (const reply of this.#replies.values()) {
      const { sink, exchange, id, listens } = reply
      this.#forget(reply)
      if (sink === undefined) refuseNow(exchange, id, 503, error)
      // A listener takes an end without an answer for what it is: it has to listen anew.
      else sink.end(listens ? undefined : sseEvent({ data: errorText(id, error.toWire(newestVersion)) }))
    }
  }

  /**
   * Turns a waiting response into a stream, with its first message if there is one; unless it was answered meanwhile.
   */
  openStream(reply: Reply, first?: string): void {
    if (reply.sink !== undefined || !this.#isOpen(reply)) return
    if (reply.exchange.gone) return this.#lost(reply)
    const sink = reply.exchange.stream(200, STREAM_HEADERS)
    reply.sink = sink
    sink.onClose(() => this.#lost(reply))
    if (!this.#isOpen(reply)) return
    sink.write(first === undefined ? OPENING : sseEvent({ data: first }))
    this.#host.pulse.add(reply)
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
    // Who does not read is hung up on, which ends the request as well: there is no stream to come back to.
    if (sink.buffered > this.#host.settings.maxUnread) return this.#lost(reply)
    sink.write(sseEvent({ data: frame }))
    reply.lastBeat = this.#host.pulse.now
  }

  #watch(reply: Reply): void {
    const unwatch = reply.exchange.onGone(() => this.#lost(reply))
    if (!this.#isOpen(reply)) return unwatch()
    reply.unwatch = unwatch
    if (reply.sink !== undefined) return
    const { answer } = this.#host.settings
    // Where a stream is wanted it is opened soon, but an answer that is nearly there still goes out in one piece.
    if (answer === 'sse') this.#host.soon.add(reply)
    else if (answer === 'auto' || reply.listens) this.#host.pulse.add(reply)
  }

  /** D-63: hanging up is how a request is cancelled. */
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
    this.#host.pulse.remove(reply)
    reply.unwatch?.()
  }
}

/** The address is looked up for those who ask for it. */
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
  refuseWith(exchange, status, error.toWire(newestVersion), headersFor[status], id)
}

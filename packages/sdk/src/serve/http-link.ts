/**
 * One session's side of Streamable HTTP: which frame goes out on which response or stream. It knows request ids, and
 * nothing of what is asked.
 */
import { IdTable } from '../collections/index.ts'
import { ParleyError } from '../errors/index.ts'
import {
  errorText,
  type Incoming,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
  type Serialised,
} from '../jsonrpc/index.ts'
import { endedUnanswered, systemMint } from '../session/index.ts'
import type { LoggedEvent } from '../stores/index.ts'
import type { Exchange, ResponseHeaders } from '../transport/index.ts'
import { EventStream, readEventId, type StreamHome } from './event-stream.ts'
import type { HttpSettings } from './options.ts'
import type { Beating, Pulse } from './pulse.ts'
import { refuse } from './refusal.ts'
import { answerBody, JSON_HEADERS, NO_HEADERS, PATIENCE, STREAM_HEADERS } from './response.ts'
import type { Hurried, Soon } from './soon.ts'

export interface LinkHost {
  readonly settings: HttpSettings
  readonly pulse: Pulse
  /** Of answers that clients can come back for before anything has happened, as soon as they are streams (C-40). */
  readonly briskPulse: Pulse
  readonly soon: Soon
  /** Asked once a version is agreed on. */
  knowsPolling(version: string): boolean
  closed(link: HttpLink): void
  /** Something came to its end by which the client knows that the session is there. */
  used(link: HttpLink): void
}

/** The stream of what belongs to no request. */
const OWN_STREAM = 0

/** A posted request, or batch of them, that waits for its answer. */
class Reply implements Beating, Hurried {
  lastBeat = 0
  bagIndex: number | undefined
  stream: EventStream | undefined
  readonly exchange: Exchange
  readonly ids: readonly RequestId[]
  /** Answered with an array, also when it has one request only. */
  readonly isBatch: boolean
  readonly #link: HttpLink

  constructor(link: HttpLink, exchange: Exchange, ids: readonly RequestId[], isBatch: boolean) {
    this.#link = link
    this.exchange = exchange
    this.ids = ids
    this.isBatch = isBatch
  }

  beat(now: number): void {
    if (now - this.lastBeat >= PATIENCE) this.#link.openStream(this)
  }

  /** Unless it has been answered meanwhile. */
  hurry(): void {
    this.#link.hurry(this)
  }
}

export class HttpLink implements Link, StreamHome {
  readonly transport = 'http'
  readonly id: string
  readonly settings: HttpSettings
  readonly pulse: Pulse
  polling = false
  readonly #host: LinkHost
  #events: LinkEvents | undefined
  #closed = false
  /** Set while the handshake is answered: the client learns its session id from that response. */
  #introducing = false
  /** The handshake was answered with a version; until then nothing else is. */
  #known = false
  #replies: IdTable<Reply> | undefined
  /** Streams that can be resumed and are not finished, by number. */
  #streams: Map<number, EventStream> | undefined
  #lastStream = OWN_STREAM
  #tag: string | undefined

  constructor(host: LinkHost, id: string) {
    this.#host = host
    this.settings = host.settings
    this.pulse = host.pulse
    this.id = id
  }

  /** Made on first use: most sessions never open a stream. */
  get tag(): string {
    // Not of the session's own mint: its ids may have characters that mean something in an event id.
    this.#tag ??= systemMint().slice(-8)
    return this.#tag
  }

  /** Somebody waits for an answer or listens to a stream; whoever hung up does neither. */
  get busy(): boolean {
    return this.awaited || this.listening
  }

  /** The client waits for an answer. */
  get awaited(): boolean {
    for (const { stream, exchange } of this.#replies?.values() ?? [])
      if (stream === undefined ? !exchange.gone : stream.connected) return true
    return false
  }

  get listening(): boolean {
    return this.#streams?.get(OWN_STREAM)?.connected === true
  }

  open(events: LinkEvents): void {
    this.#events = events
  }

  negotiated(version: string): void {
    this.#introducing = true
    this.#known = true
    this.polling = this.#host.knowsPolling(version)
  }

  send(frame: string, options?: SendOptions): void {
    if (this.#closed) throw new ParleyError('session_closed', { message: 'The HTTP session is closed' })
    const relatedTo = options?.relatedTo
    const reply = relatedTo === undefined ? undefined : this.#replies?.get(relatedTo)
    if (reply === undefined) this.#ownStream().send(frame)
    else if (options?.final === true) this.#answer(reply, frame, options.kept)
    else if (reply.stream !== undefined) reply.stream.send(frame)
    else if (this.settings.answer === 'json') this.#ownStream().send(frame)
    else this.openStream(reply, frame)
  }

  /** A posted message that wants no answer. */
  deliver(text: string, incoming: Incoming): void {
    this.#events?.frame(text, incoming)
  }

  /** A posted message with requests: the exchange is answered when they are. */
  ask(exchange: Exchange, ids: readonly RequestId[], text: string, incoming: Incoming): void {
    this.#replies ??= new IdTable()
    const replies = this.#replies
    if (replies.size >= this.settings.maxStreams) {
      return refuse(
        exchange,
        429,
        'too_many_requests',
        `${this.settings.maxStreams} requests of this session are already being answered`,
        {
          'retry-after': '1',
        },
      )
    }
    const taken = ids.find((id) => replies.has(id))
    if (taken !== undefined)
      return refuse(exchange, 400, 'duplicate_request_id', `Request id ${JSON.stringify(taken)} is still in flight`)
    const reply = new Reply(this, exchange, ids, incoming.kind === 'batch')
    for (const id of ids) replies.set(id, reply)
    this.#events?.frame(text, incoming)
    // The request may wait for long; its text is not needed again.
    exchange.body = ''
    if (this.#isWaiting(reply)) this.#wait(reply)
  }

  /** Opens the session's own stream; what was sent while nobody listened comes first. */
  listen(exchange: Exchange): void {
    const stream = this.#ownStream()
    if (stream.connected)
      return refuse(
        exchange,
        409,
        'invalid_request',
        'This session already has a stream; resume it with Last-Event-ID to replace it',
      )
    this.#reconnect(stream, exchange, stream.written)
  }

  /** Takes up a stream after the event the client saw last. */
  resume(exchange: Exchange, lastEventId: string): void {
    const id = readEventId(lastEventId)
    if (id === undefined || id.tag !== this.#tag)
      return refuse(exchange, 400, 'invalid_request', 'Last-Event-ID is not an event of this session')
    const stream = this.#streams?.get(id.stream)
    if (stream === undefined) return this.#replay(exchange, id.stream, id.sequence)
    if (id.sequence > stream.sequence)
      return refuse(exchange, 400, 'invalid_request', 'Last-Event-ID is an event that was not sent yet')
    this.#reconnect(stream, exchange, id.sequence)
  }

  /** The request was cancelled, which is no failure of the exchange, but there will be no answer either. */
  abandon(request: RequestId): void {
    const reply = this.#replies?.get(request)
    if (reply === undefined) return
    this.#forget(reply)
    if (reply.stream === undefined) return reply.exchange.respond(202, NO_HEADERS)
    this.#streams?.delete(reply.stream.number)
    reply.stream.finish()
  }

  release(request: RequestId, retry = this.settings.retry): void {
    const reply = this.#replies?.get(request)
    if (reply === undefined || !this.polling || this.settings.answer === 'json') return
    if (reply.stream === undefined) this.openStream(reply)
    reply.stream?.release(retry)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const reply of new Set(this.#replies?.values())) {
      this.#forget(reply)
      this.#answerEnded(reply)
    }
    for (const stream of this.#streams?.values() ?? []) stream.release(this.settings.retry)
    this.#streams = undefined
    this.settings.eventLog.forget(this.id)
    this.#host.closed(this)
  }

  /** Forgets the events of answers that are complete. */
  tidy(): void {
    if (this.#tag !== undefined)
      this.settings.eventLog.forget(this.id, new Set([OWN_STREAM, ...(this.#streams?.keys() ?? [])]))
  }

  disconnected(): void {
    this.#host.used(this)
  }

  /** Turns a waiting response into a stream, with its first message if there is one. */
  openStream(reply: Reply, first?: string): void {
    this.#patience.remove(reply)
    const stream = this.#newStream()
    reply.stream = stream
    this.#streams ??= new Map()
    this.#streams.set(stream.number, stream)
    const events = first === undefined ? NO_EVENTS : [stream.send(first)]
    stream.connect(reply.exchange.stream(200, this.#headers(STREAM_HEADERS)), 0, events)
  }

  hurry(reply: Reply): void {
    if (this.#isWaiting(reply)) this.openStream(reply)
  }

  #answer(reply: Reply, frame: string, kept: Serialised | undefined): void {
    this.#forget(reply)
    this.#host.used(this)
    if (reply.stream !== undefined) {
      this.#streams?.delete(reply.stream.number)
      return reply.stream.finish(frame)
    }
    if (this.settings.answer !== 'sse')
      reply.exchange.respond(200, this.#headers(JSON_HEADERS), answerBody(reply.ids[0] as RequestId, frame, kept))
    else reply.exchange.respond(200, this.#headers(STREAM_HEADERS), this.#newStream().finishAtOnce(frame))
    this.#introducing = false
    // A handshake that was refused leaves nothing behind; the client may try again.
    if (!this.#known) queueMicrotask(() => this.#events?.closed())
  }

  /**
   * An answer like any other: 404 would say that the request was never taken, and clients would make it again in a new
   * session.
   */
  #answerEnded({ exchange, ids, isBatch, stream }: Reply): void {
    const error = endedUnanswered().toWire()
    const errors = ids.map((id) => errorText(id, error)).join(',')
    const frame = isBatch ? `[${errors}]` : errors
    if (stream === undefined) return exchange.respond(200, JSON_HEADERS, frame)
    this.#streams?.delete(stream.number)
    stream.finish(frame)
  }

  #forget(reply: Reply): void {
    for (const id of reply.ids) this.#replies?.delete(id)
    this.#patience.remove(reply)
  }

  #wait(reply: Reply): void {
    const { answer } = this.settings
    // The answer to a handshake has the session's id in its headers, so they cannot go out before it.
    if (answer === 'json' || !this.#known) return
    // Where a stream is wanted it is opened soon, but an answer that is nearly there still goes out in one piece.
    if (answer === 'sse') this.#host.soon.add(reply)
    else this.#patience.add(reply)
  }

  /** What answers wait with. */
  get #patience(): Pulse {
    return this.polling ? this.#host.briskPulse : this.pulse
  }

  #isWaiting(reply: Reply): boolean {
    return reply.stream === undefined && this.#replies?.get(reply.ids[0] as RequestId) === reply
  }

  #headers(headers: ResponseHeaders): ResponseHeaders {
    return this.#introducing ? { ...headers, 'mcp-session-id': this.id } : headers
  }

  #newStream(): EventStream {
    return new EventStream(this, ++this.#lastStream)
  }

  #ownStream(): EventStream {
    this.#streams ??= new Map()
    let stream = this.#streams.get(OWN_STREAM)
    if (stream === undefined) {
      stream = new EventStream(this, OWN_STREAM)
      this.#streams.set(OWN_STREAM, stream)
    }
    return stream
  }

  #reconnect(stream: EventStream, exchange: Exchange, after: number): void {
    const connect = (kept: readonly LoggedEvent[]): void =>
      stream.connect(exchange.stream(200, STREAM_HEADERS), after, kept)
    if (stream.sequence === after) return connect(NO_EVENTS)
    const kept = this.settings.eventLog.read(this.id, stream.number)
    if (!(kept instanceof Promise)) return connect(kept)
    const attempt = stream.prepare()
    const finish = (events: readonly LoggedEvent[]): void => {
      if (this.#closed)
        return refuse(exchange, 404, 'session_closed', 'The session ended before the stream was taken up')
      if (!stream.expects(attempt))
        return refuse(exchange, 409, 'invalid_request', 'The stream was meanwhile taken up by another request')
      connect([...events, ...attempt])
    }
    kept.then(finish, () => finish(NO_EVENTS))
  }

  /** What is left of a stream that has had its last event. */
  #replay(exchange: Exchange, number: number, after: number): void {
    const show = (kept: readonly LoggedEvent[]): void => {
      const last = kept[kept.length - 1]
      if (last === undefined)
        return refuse(
          exchange,
          400,
          'invalid_request',
          'The stream of this Last-Event-ID is not known, or no longer kept',
        )
      if (after > last.sequence)
        return refuse(exchange, 400, 'invalid_request', 'Last-Event-ID is an event that was never sent')
      const stream = new EventStream(this, number)
      stream.finish()
      stream.connect(exchange.stream(200, STREAM_HEADERS), after, kept)
    }
    const kept = this.settings.eventLog.read(this.id, number)
    if (kept instanceof Promise) kept.then(show, () => show(NO_EVENTS))
    else show(kept)
  }
}

const NO_EVENTS: readonly LoggedEvent[] = []

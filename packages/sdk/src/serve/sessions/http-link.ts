/** The link of one session of Streamable HTTP. Chooses the response or stream for each frame by request id. */
import { IdTable } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import {
  errorText,
  type Incoming,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
  type Serialised,
} from '../../jsonrpc/index.ts'
import { endedUnanswered, systemMint } from '../../session/index.ts'
import type { LoggedEvent } from '../../stores/index.ts'
import type { Exchange, ResponseHeaders } from '../../transport/index.ts'
import type { Heartbeat, HeartbeatItem } from '../heartbeat.ts'
import type { NextTick, NextTickTask } from '../next-tick.ts'
import type { HttpSettings } from '../options.ts'
import { refuse } from '../responses/refusal.ts'
import { answerBody, BEATS_BEFORE_STREAM, JSON_HEADERS, NO_HEADERS, STREAM_HEADERS } from '../responses/response.ts'
import { EventStream, type EventStreamHost, readEventId } from './event-stream.ts'

export interface HttpLinkHost {
  readonly settings: HttpSettings
  readonly heartbeat: Heartbeat
  /** For answers that the client can resume once they are streams (C-40). */
  readonly fastHeartbeat: Heartbeat
  readonly nextTick: NextTick
  /** Called after the version was negotiated. */
  knowsPolling(version: string): boolean
  closed(link: HttpLink): void
  /** An answer was sent, or a stream lost its connection. */
  used(link: HttpLink): void
}

/** The stream for messages that belong to no request. */
const OWN_STREAM = 0

/** A posted request or batch that waits for its answer. */
class Reply implements HeartbeatItem, NextTickTask {
  lastBeat = 0
  bagIndex: number | undefined
  stream: EventStream | undefined
  readonly exchange: Exchange
  readonly ids: readonly RequestId[]
  /** The answer is an array, even for one request. */
  readonly isBatch: boolean
  readonly #link: HttpLink

  constructor(link: HttpLink, exchange: Exchange, ids: readonly RequestId[], isBatch: boolean) {
    this.#link = link
    this.exchange = exchange
    this.ids = ids
    this.isBatch = isBatch
  }

  beat(now: number): void {
    if (now - this.lastBeat >= BEATS_BEFORE_STREAM) this.#link.openStream(this)
  }

  onNextTick(): void {
    this.#link.openStreamIfWaiting(this)
  }
}

export class HttpLink implements Link, EventStreamHost {
  readonly transport = 'http'
  readonly id: string
  readonly settings: HttpSettings
  readonly heartbeat: Heartbeat
  polling = false
  readonly #host: HttpLinkHost
  #events: LinkEvents | undefined
  #closed = false
  /** True while the handshake is answered: that response has the session id. */
  #inHandshake = false
  /** A version was negotiated. Before that, only the handshake is answered. */
  #negotiated = false
  #replies: IdTable<Reply> | undefined
  /** Unfinished streams that can be resumed, by number. */
  #streams: Map<number, EventStream> | undefined
  #lastStream = OWN_STREAM
  #tag: string | undefined

  constructor(host: HttpLinkHost, id: string) {
    this.#host = host
    this.settings = host.settings
    this.heartbeat = host.heartbeat
    this.id = id
  }

  /** Created on first use, because most sessions open no stream. */
  get tag(): string {
    // Ids of the caller's own mint may have characters that are special in event ids.
    this.#tag ??= systemMint().slice(-8)
    return this.#tag
  }

  /** A connected client waits for an answer or listens to a stream. */
  get busy(): boolean {
    return this.awaited || this.listening
  }

  /** A connected client waits for an answer. */
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
    this.#inHandshake = true
    this.#negotiated = true
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

  /** Handles a posted message without requests. */
  deliver(text: string, incoming: Incoming): void {
    this.#events?.frame(text, incoming)
  }

  /** Handles a posted message with requests. The exchange is answered when they are. */
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
    // The request may wait for long, so its text is freed.
    exchange.body = ''
    if (this.#isWaiting(reply)) this.#scheduleStream(reply)
  }

  /** Opens the session's own stream. It begins with the messages that were sent without a connection. */
  listen(exchange: Exchange): void {
    const stream = this.#ownStream()
    if (stream.connected)
      return refuse(
        exchange,
        409,
        'invalid_request',
        'This session already has a stream; resume it with Last-Event-ID to replace it',
      )
    this.#connectStream(stream, exchange, stream.written)
  }

  /** Resumes a stream after the last event that the client received. */
  resume(exchange: Exchange, lastEventId: string): void {
    const id = readEventId(lastEventId)
    if (id === undefined || id.tag !== this.#tag)
      return refuse(exchange, 400, 'invalid_request', 'Last-Event-ID is not an event of this session')
    const stream = this.#streams?.get(id.stream)
    if (stream === undefined) return this.#replay(exchange, id.stream, id.sequence)
    if (id.sequence > stream.sequence)
      return refuse(exchange, 400, 'invalid_request', 'Last-Event-ID is an event that was not sent yet')
    this.#connectStream(stream, exchange, id.sequence)
  }

  /** The request was cancelled: the exchange ends without an answer, but not with an error. */
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

  /** Drops the events of finished answers from the log. */
  dropOldEvents(): void {
    if (this.#tag !== undefined)
      this.settings.eventLog.forget(this.id, new Set([OWN_STREAM, ...(this.#streams?.keys() ?? [])]))
  }

  disconnected(): void {
    this.#host.used(this)
  }

  /** Turns a waiting response into a stream. `first`: the first message, if there is one. */
  openStream(reply: Reply, first?: string): void {
    this.#replyHeartbeat.remove(reply)
    const stream = this.#newStream()
    reply.stream = stream
    this.#streams ??= new Map()
    this.#streams.set(stream.number, stream)
    const events = first === undefined ? NO_EVENTS : [stream.send(first)]
    stream.connect(reply.exchange.stream(200, this.#headers(STREAM_HEADERS)), 0, events)
  }

  openStreamIfWaiting(reply: Reply): void {
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
    this.#inHandshake = false
    // A refused handshake ends the session. The client may try again.
    if (!this.#negotiated) queueMicrotask(() => this.#events?.closed())
  }

  /** Not 404: the client would take the request for unprocessed, and send it again in a new session. */
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
    this.#replyHeartbeat.remove(reply)
  }

  #scheduleStream(reply: Reply): void {
    const { answer } = this.settings
    // The headers of the handshake's answer have the session id, so they cannot be sent earlier.
    if (answer === 'json' || !this.#negotiated) return
    // The stream opens in the next turn, so that an answer that is almost ready is sent in one piece.
    if (answer === 'sse') this.#host.nextTick.add(reply)
    else this.#replyHeartbeat.add(reply)
  }

  /** The heartbeat of waiting answers. */
  get #replyHeartbeat(): Heartbeat {
    return this.polling ? this.#host.fastHeartbeat : this.heartbeat
  }

  #isWaiting(reply: Reply): boolean {
    return reply.stream === undefined && this.#replies?.get(reply.ids[0] as RequestId) === reply
  }

  #headers(headers: ResponseHeaders): ResponseHeaders {
    return this.#inHandshake ? { ...headers, 'mcp-session-id': this.id } : headers
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

  #connectStream(stream: EventStream, exchange: Exchange, after: number): void {
    const connect = (kept: readonly LoggedEvent[]): void =>
      stream.connect(exchange.stream(200, STREAM_HEADERS), after, kept)
    if (stream.sequence === after) return connect(NO_EVENTS)
    const kept = this.settings.eventLog.read(this.id, stream.number)
    if (!(kept instanceof Promise)) return connect(kept)
    const attempt = stream.prepare()
    const finish = (events: readonly LoggedEvent[]): void => {
      if (this.#closed)
        return refuse(exchange, 404, 'session_closed', 'The session ended before the stream was resumed')
      if (!stream.expects(attempt))
        return refuse(exchange, 409, 'invalid_request', 'Another request has resumed the stream meanwhile')
      connect([...events, ...attempt])
    }
    kept.then(finish, () => finish(NO_EVENTS))
  }

  /** Sends the kept events of a finished stream. */
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

/**
 * The client end of Streamable HTTP: every frame is a POST, answered with JSON or with a stream of events (A-09, A-10,
 * B-12).
 */
import { fromWire, ParleyError } from '../../errors/index.ts'
import {
  DEFAULT_LIMITS,
  errorText,
  type FrameOrigin,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../../jsonrpc/index.ts'
import { drain, excerpt, FIELD_NAMES, mediaType, readBeginning, readText } from './client-body.ts'
import { type HttpReply, shownUrl } from './client-call.ts'
import { asTransportError, tellFailure } from './client-failure.ts'
import { type HttpHeaders, type HttpLinkOptions, type HttpLinkSettings, settleHttp } from './client-options.ts'
import { Outbox, type Posting } from './client-outbox.ts'
import { HttpPeer, httpAddress } from './client-peer.ts'
import { answerIn, isPassing, losesSession, readRefusal, sessionLost, statusOf } from './client-refusal.ts'
import { EventStream, type StreamContext } from './client-stream.ts'
import { Hangup } from './hangup.ts'
import { EVENT_STREAM, JSON_TYPE } from './media-types.ts'

const ACCEPT_BOTH = `${JSON_TYPE}, ${EVENT_STREAM}`
const SESSION_ID = /^[\x21-\x7e]{1,4096}$/
/** Statuses with which a server says that it has no stream to listen to. */
const NOT_OFFERED: ReadonlySet<number | undefined> = new Set([404, 405, 501])

/** Of a message that is all of its response. */
const WHOLE: FrameOrigin = {}

class HttpClientLink implements Link {
  readonly transport = 'http'
  readonly mirrors = true
  readonly #settings: HttpLinkSettings
  readonly #peer: HttpPeer
  readonly #outbox: Outbox
  readonly #listening = new Hangup()
  #events: LinkEvents | undefined
  #sessionId: string | undefined
  #version: string | undefined
  /** True while there is a stream for messages that belong to no request. */
  #hears = false
  /** A GET was answered with a stream before. Until then, 404 may be the word of a server that knows only POST. */
  #hasStreams = false
  #closed = false
  #farewell: Promise<void> | undefined

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#settings = settings
    this.#peer = new HttpPeer(url, settings)
    this.#outbox = new Outbox(settings, {
      post: (frame, posting) => this.#peer.request('POST', this.#postHeaders(posting), frame, posting.hangup),
      take: (reply, posting) => this.#take(reply, posting),
      failed: (request, error) => this.#failed(request, error),
    })
  }

  get hears(): boolean {
    return this.#hears
  }

  get remembered(): boolean {
    return this.#sessionId !== undefined
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: 'This HTTP link is already in use' })
    this.#events = events
    if (this.#closed) queueMicrotask(() => events.closed())
  }

  send(frame: string, options?: SendOptions): void {
    if (this.#closed || this.#events === undefined)
      throw new ParleyError('transport_error', { message: 'The HTTP link is closed' })
    this.#outbox.send(frame, options)
  }

  negotiated(version: string): void {
    this.#version = version
  }

  abandon(request: RequestId): void {
    this.#outbox.abandon(request)
  }

  withdraw(request: RequestId): void {
    this.#outbox.withdraw(request)
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      this.#listening.abort()
      const events = this.#events
      if (events !== undefined) queueMicrotask(() => events.closed())
      const sent = this.#outbox.finish()
      this.#farewell = sent === undefined ? this.#endSession() : sent.then(() => this.#endSession())
    }
    return this.#farewell ?? Promise.resolve()
  }

  #end(reason: ParleyError): void {
    if (this.#closed) return
    this.#closed = true
    this.#outbox.close()
    this.#listening.abort()
    this.#events?.closed(reason)
  }

  /** Servers keep a session until they hear otherwise; one that does not want to hear is left alone. */
  async #endSession(): Promise<void> {
    if (this.#sessionId === undefined) return
    const hangup = new Hangup()
    const cancel = this.#settings.clock.after(this.#settings.closeTimeout, () => hangup.abort())
    try {
      await drain(await this.#peer.request('DELETE', this.#headers({}), undefined, hangup))
    } catch {
      // The session ends here whether the server knows it or not.
    } finally {
      cancel()
    }
  }

  #headers(headers: Record<string, string>): HttpHeaders {
    if (this.#sessionId !== undefined) headers['mcp-session-id'] = this.#sessionId
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    return headers
  }

  #postHeaders({ headers, stateless }: Posting): HttpHeaders {
    const own: Record<string, string> = { accept: ACCEPT_BOTH, 'content-type': JSON_TYPE }
    if (!stateless) this.#headers(own)
    return headers === undefined ? own : Object.assign(own, headers)
  }

  async #take(reply: HttpReply, posting: Posting): Promise<void> {
    const { status } = reply
    if (status < 200 || status > 299) return this.#refused(reply, posting)
    if (posting.method === 'initialize' && !posting.stateless) this.#adopt(reply)
    const type = mediaType(reply)
    let text = ''
    if (type === EVENT_STREAM) await this.#readStream(reply, posting)
    else text = type === JSON_TYPE ? await readText(reply, this.#maxBytes) : await readBeginning(reply)
    if (type === JSON_TYPE) this.#receiveFor(posting, text, WHOLE)
    if (this.#outbox.isWaiting(posting) && !this.#mayComeElsewhere(reply, posting))
      throw unanswered(posting, reply, this.#peer.url, text)
    if (posting.method === 'notifications/initialized' && this.#settings.listen && !this.#closed) this.#listen()
  }

  /** Some servers accept a request like a notification and answer it on the stream for everything. */
  #mayComeElsewhere(reply: HttpReply, { stateless }: Posting): boolean {
    return !stateless && reply.status === 202 && this.#hears
  }

  #adopt(reply: HttpReply): void {
    const id = reply.header('mcp-session-id')
    if (id === undefined) return
    if (!SESSION_ID.test(id)) {
      reply.discard()
      throw new ParleyError('transport_error', {
        message: `${shownUrl(this.#peer.url)} gave a session id with characters that no session id may have`,
      })
    }
    this.#sessionId = id
  }

  async #refused(reply: HttpReply, posting: Posting): Promise<void> {
    const refusal = await readRefusal(reply, this.#peer.url)
    if (!posting.stateless && this.#sessionId !== undefined && losesSession(refusal, posting.requests)) {
      const lost = sessionLost(this.#peer.url, refusal)
      // Of these requests, unlike of others that wait, it is certain that nobody has begun to answer them.
      if (!this.#closed) for (const request of posting.requests) tellFailure(this.#events, request, lost)
      throw lost
    }
    const [request] = posting.requests
    const answer = answerIn(refusal, posting)
    if (answer === undefined) throw refusal.error
    if (request === undefined || posting.requests.length > 1) throw fromWire(answer.error)
    this.#receiveFor(posting, errorText(request, answer.error), WHOLE)
  }

  #receive(frame: string, origin?: FrameOrigin): void {
    if (this.#closed || frame === '') return
    this.#outbox.received(frame, origin !== WHOLE)
    this.#events?.frame(frame, undefined, origin)
  }

  /**
   * What comes for a request that was taken back meanwhile, perhaps by whoever read the message before, is nobody's
   * business.
   */
  #receiveFor({ hangup }: Posting, frame: string, origin?: FrameOrigin): void {
    if (!hangup.aborted) this.#receive(frame, origin)
  }

  #readStream(reply: HttpReply, posting: Posting): Promise<void> {
    const [within] = posting.requests
    const origin = within === undefined ? undefined : { within }
    const stream = new EventStream(this.#streamContext(posting.hangup), {
      wanted: () => !this.#closed && this.#outbox.isWaiting(posting),
      receive: (data) => this.#receiveFor(posting, data, origin),
      released: (retry) => within !== undefined && this.#events?.released?.(within, retry),
      open: (lastEventId) => this.#openStream(lastEventId, posting.hangup),
      report: (error) => this.#failed(undefined, error),
    })
    return posting.stateless ? stream.once(reply) : stream.resume(reply)
  }

  #streamContext(hangup: Hangup): StreamContext {
    return { settings: this.#settings, hangup, maxLength: this.#maxBytes + FIELD_NAMES }
  }

  get #maxBytes(): number {
    return this.#events?.maxBytes ?? DEFAULT_LIMITS.maxBytes
  }

  async #openStream(lastEventId: string, hangup: Hangup): Promise<HttpReply> {
    const headers: Record<string, string> = { accept: EVENT_STREAM }
    if (lastEventId !== '') headers['last-event-id'] = headerText(lastEventId)
    const reply = await this.#peer.request('GET', this.#headers(headers), undefined, hangup)
    if (reply.status === 200 && mediaType(reply) === EVENT_STREAM) {
      this.#hasStreams = true
      return reply
    }
    const refusal = await readRefusal(reply, this.#peer.url)
    if (this.#sessionId !== undefined && this.#hasStreams && refusal.status === 404)
      this.#end(sessionLost(this.#peer.url, refusal))
    throw refusal.error
  }

  /**
   * Asks for the stream of messages that belong to no request, for as long as the link lives. Servers need not have
   * one.
   */
  async #listen(): Promise<void> {
    const stream = new EventStream(this.#streamContext(this.#listening), {
      wanted: () => !this.#closed,
      receive: (data) => this.#receive(data),
      open: async (lastEventId) => {
        this.#hears = false
        const reply = await this.#openStream(lastEventId, this.#listening)
        this.#hears = true
        return reply
      },
      report: (error) => this.#failed(undefined, error),
    })
    try {
      await stream.listen()
    } catch (error) {
      this.#hears = false
      if (this.#closed || NOT_OFFERED.has(statusOf(error))) return
      // Nobody answered for a long time: whoever sits above can try a new connection, or give up.
      if (isPassing(error) && statusOf(error) === undefined) this.#end(error as ParleyError)
      else this.#failed(undefined, error)
    }
  }

  #failed(request: RequestId | undefined, thrown: unknown): void {
    if (this.#closed) return
    const error = asTransportError(thrown)
    if (error.kind === 'session_lost') return this.#end(error)
    tellFailure(this.#events, request, error)
  }
}

function unanswered({ method }: Posting, reply: HttpReply, url: URL, text: string): ParleyError {
  const what = `${reply.status} ${mediaType(reply) || 'without a type'}`
  const message = `${shownUrl(url)} did not answer ${method} but sent ${what}: ${excerpt(text)}`
  return new ParleyError('invalid_answer', { message, data: { status: reply.status } })
}

/** Header values are bytes; the standard for these ids says UTF-8. */
function headerText(id: string): string {
  return /^[\x20-\x7e]*$/.test(id) ? id : String.fromCharCode(...new TextEncoder().encode(id))
}

/** A link to an MCP endpoint over Streamable HTTP. */
export function httpLink(url: string | URL, options: HttpLinkOptions = {}): Link {
  return new HttpClientLink(httpAddress(url), settleHttp(options))
}

/** The client's link of Streamable HTTP. Each frame is a POST. Answers are JSON or event streams (A-09, A-10, B-12). */
import { fromWire, ParleyError } from '../../../errors/index.ts'
import {
  DEFAULT_LIMITS,
  errorText,
  type FrameOrigin,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../../../jsonrpc/index.ts'
import { EVENT_STREAM, JSON_TYPE } from '../media-types.ts'
import { drain, excerpt, FIELD_NAMES_LENGTH, mediaType, readBeginning, readText } from './body.ts'
import { type HttpReply, shownUrl } from './call.ts'
import { asTransportError, tellFailure } from './failure.ts'
import { LazyAbortController } from './lazy-abort-controller.ts'
import { type HttpHeaders, type HttpLinkOptions, type HttpLinkSettings, settleHttp } from './options.ts'
import { Outbox, type Posting } from './outbox.ts'
import { HttpPeer, httpAddress } from './peer.ts'
import { answerIn, isTemporary, losesSession, readRefusal, sessionLost, statusOf } from './refusal.ts'
import { ResumableStream, type StreamContext } from './resumable-stream.ts'

const ACCEPT_BOTH = `${JSON_TYPE}, ${EVENT_STREAM}`
const SESSION_ID = /^[\x21-\x7e]{1,4096}$/
/** The statuses of servers without a stream to listen to. */
const NO_LISTEN_STREAM: ReadonlySet<number | undefined> = new Set([404, 405, 501])

/** The origin of a message that is a whole response. */
const WHOLE_RESPONSE: FrameOrigin = {}

class HttpClientLink implements Link {
  readonly transport = 'http'
  readonly mirrors = true
  readonly #settings: HttpLinkSettings
  readonly #peer: HttpPeer
  readonly #outbox: Outbox
  readonly #listening = new LazyAbortController()
  #events: LinkEvents | undefined
  #sessionId: string | undefined
  #version: string | undefined
  /** Whether the stream for messages without a request is open. */
  #isListening = false
  /** A GET was answered with a stream. Before that, 404 may mean that the server supports only POST. */
  #hadStream = false
  #closed = false
  #closing: Promise<void> | undefined

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#settings = settings
    this.#peer = new HttpPeer(url, settings)
    this.#outbox = new Outbox(settings, {
      post: (frame, posting) => this.#peer.request('POST', this.#postHeaders(posting), frame, posting.abortController),
      handleReply: (reply, posting) => this.#handleReply(reply, posting),
      failed: (request, error) => this.#failed(request, error),
    })
  }

  get hears(): boolean {
    return this.#isListening
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
      this.#closing = sent === undefined ? this.#endSession() : sent.then(() => this.#endSession())
    }
    return this.#closing ?? Promise.resolve()
  }

  #end(reason: ParleyError): void {
    if (this.#closed) return
    this.#closed = true
    this.#outbox.close()
    this.#listening.abort()
    this.#events?.closed(reason)
  }

  /** Tells the server that the session has ended. Ignores a refusal. */
  async #endSession(): Promise<void> {
    if (this.#sessionId === undefined) return
    const abortController = new LazyAbortController()
    const cancel = this.#settings.clock.after(this.#settings.closeTimeout, () => abortController.abort())
    try {
      await drain(await this.#peer.request('DELETE', this.#headers({}), undefined, abortController))
    } catch {
      // The session ends on this side anyway.
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

  async #handleReply(reply: HttpReply, posting: Posting): Promise<void> {
    const { status } = reply
    if (status < 200 || status > 299) return this.#refused(reply, posting)
    if (posting.method === 'initialize' && !posting.stateless) this.#readSessionId(reply)
    const type = mediaType(reply)
    let text = ''
    if (type === EVENT_STREAM) await this.#readStream(reply, posting)
    else text = type === JSON_TYPE ? await readText(reply, this.#maxBytes) : await readBeginning(reply)
    if (type === JSON_TYPE) this.#receiveFor(posting, text, WHOLE_RESPONSE)
    if (this.#outbox.isWaiting(posting) && !this.#mayBeAnsweredOnStream(reply, posting))
      throw unanswered(posting, reply, this.#peer.url, text)
    if (posting.method === 'notifications/initialized' && this.#settings.listen && !this.#closed) this.#listen()
  }

  /** Some servers confirm a request with 202 and answer it on the listen stream. */
  #mayBeAnsweredOnStream(reply: HttpReply, { stateless }: Posting): boolean {
    return !stateless && reply.status === 202 && this.#isListening
  }

  #readSessionId(reply: HttpReply): void {
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
      // The server has certainly not processed these requests, unlike others that wait.
      if (!this.#closed) for (const request of posting.requests) tellFailure(this.#events, request, lost)
      throw lost
    }
    const [request] = posting.requests
    const answer = answerIn(refusal, posting)
    if (answer === undefined) throw refusal.error
    if (request === undefined || posting.requests.length > 1) throw fromWire(answer.error)
    this.#receiveFor(posting, errorText(request, answer.error), WHOLE_RESPONSE)
  }

  #receive(frame: string, origin?: FrameOrigin): void {
    if (this.#closed || frame === '') return
    this.#outbox.received(frame, origin !== WHOLE_RESPONSE)
    this.#events?.frame(frame, undefined, origin)
  }

  /** Drops messages for a cancelled request. A listener of the previous message may have cancelled it. */
  #receiveFor({ abortController }: Posting, frame: string, origin?: FrameOrigin): void {
    if (!abortController.aborted) this.#receive(frame, origin)
  }

  #readStream(reply: HttpReply, posting: Posting): Promise<void> {
    const [within] = posting.requests
    const origin = within === undefined ? undefined : { within }
    const stream = new ResumableStream(this.#streamContext(posting.abortController), {
      wanted: () => !this.#closed && this.#outbox.isWaiting(posting),
      receive: (data) => this.#receiveFor(posting, data, origin),
      released: (retry) => within !== undefined && this.#events?.released?.(within, retry),
      open: (lastEventId) => this.#openStream(lastEventId, posting.abortController),
      report: (error) => this.#failed(undefined, error),
    })
    return posting.stateless ? stream.once(reply) : stream.resume(reply)
  }

  #streamContext(abortController: LazyAbortController): StreamContext {
    return { settings: this.#settings, abortController, maxLength: this.#maxBytes + FIELD_NAMES_LENGTH }
  }

  get #maxBytes(): number {
    return this.#events?.maxBytes ?? DEFAULT_LIMITS.maxBytes
  }

  async #openStream(lastEventId: string, abortController: LazyAbortController): Promise<HttpReply> {
    const headers: Record<string, string> = { accept: EVENT_STREAM }
    if (lastEventId !== '') headers['last-event-id'] = headerText(lastEventId)
    const reply = await this.#peer.request('GET', this.#headers(headers), undefined, abortController)
    if (reply.status === 200 && mediaType(reply) === EVENT_STREAM) {
      this.#hadStream = true
      return reply
    }
    const refusal = await readRefusal(reply, this.#peer.url)
    if (this.#sessionId !== undefined && this.#hadStream && refusal.status === 404)
      this.#end(sessionLost(this.#peer.url, refusal))
    throw refusal.error
  }

  /** Keeps the stream of messages without a request open, if the server has one. */
  async #listen(): Promise<void> {
    const stream = new ResumableStream(this.#streamContext(this.#listening), {
      wanted: () => !this.#closed,
      receive: (data) => this.#receive(data),
      open: async (lastEventId) => {
        this.#isListening = false
        const reply = await this.#openStream(lastEventId, this.#listening)
        this.#isListening = true
        return reply
      },
      report: (error) => this.#failed(undefined, error),
    })
    try {
      await stream.listen()
    } catch (error) {
      this.#isListening = false
      if (this.#closed || NO_LISTEN_STREAM.has(statusOf(error))) return
      // The server was unreachable for a long time. The session decides what to do.
      if (isTemporary(error) && statusOf(error) === undefined) this.#end(error as ParleyError)
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

/** Header values are bytes. The standard encodes these ids in UTF-8. */
function headerText(id: string): string {
  return /^[\x20-\x7e]*$/.test(id) ? id : String.fromCharCode(...new TextEncoder().encode(id))
}

/** A link to an MCP endpoint over Streamable HTTP. */
export function httpLink(url: string | URL, options: HttpLinkOptions = {}): Link {
  return new HttpClientLink(httpAddress(url), settleHttp(options))
}

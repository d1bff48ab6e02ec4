/** The client's link of HTTP+SSE of 2024-11-05: receives on one stream, posts to the address it names first. */
import { ParleyError } from '../../../errors/index.ts'
import {
  DEFAULT_LIMITS,
  errorText,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../../../jsonrpc/index.ts'
import { type SseEvent, SseParser } from '../../sse.ts'
import { EVENT_STREAM, JSON_TYPE } from '../media-types.ts'
import { drain, FIELD_NAMES_LENGTH, mediaType, readEvents } from './body.ts'
import { type HttpReply, shownUrl } from './call.ts'
import { asTransportError, tellFailure } from './failure.ts'
import { LazyAbortController } from './lazy-abort-controller.ts'
import { type HttpLinkOptions, type HttpLinkSettings, settleHttp } from './options.ts'
import { Outbox, type Posting } from './outbox.ts'
import { HttpPeer, httpAddress } from './peer.ts'
import { answerIn, readRefusal } from './refusal.ts'

class SseClientLink implements Link {
  readonly transport = 'sse'
  readonly #settings: HttpLinkSettings
  readonly #streamPeer: HttpPeer
  readonly #outbox: Outbox
  readonly #listening = new LazyAbortController()
  #messagePeer: HttpPeer | undefined
  #onEndpoint: () => void = () => {}
  #events: LinkEvents | undefined
  #version: string | undefined
  #closed = false
  #closing: Promise<void> = Promise.resolve()

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#settings = settings
    this.#streamPeer = new HttpPeer(url, settings)
    this.#outbox = new Outbox(settings, {
      post: (frame, posting) => this.#post(frame, posting),
      handleReply: (reply, posting) => this.#handleReply(reply, posting),
      failed: (request, error) => {
        if (!this.#closed) tellFailure(this.#events, request, asTransportError(error))
      },
    })
    this.#outbox.hold(
      new Promise((resolve) => {
        this.#onEndpoint = resolve
      }),
    )
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: 'This HTTP+SSE link is already in use' })
    this.#events = events
    if (this.#closed) queueMicrotask(() => events.closed())
    else this.#listen()
  }

  send(frame: string, options?: SendOptions): void {
    if (this.#closed || this.#events === undefined)
      throw new ParleyError('transport_error', { message: 'The HTTP+SSE link is closed' })
    this.#outbox.send(frame, options)
  }

  negotiated(version: string): void {
    this.#version = version
  }

  abandon(request: RequestId): void {
    this.#outbox.abandon(request)
  }

  /** Closes the stream last, because its end also ends messages that are on their way. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      const events = this.#events
      if (events !== undefined) queueMicrotask(() => events.closed())
      const sent = this.#messagePeer === undefined ? undefined : this.#outbox.finish()
      if (sent === undefined) this.#disconnect()
      else this.#closing = sent.then(() => this.#disconnect())
    }
    return this.#closing
  }

  #disconnect(): void {
    this.#outbox.close()
    this.#onEndpoint()
    this.#listening.abort()
  }

  /** The session ends with its stream. */
  #end(reason: ParleyError): void {
    if (this.#closed) return
    this.#closed = true
    this.#disconnect()
    this.#events?.closed(reason)
  }

  async #listen(): Promise<void> {
    try {
      const reply = await this.#streamPeer.request('GET', { accept: EVENT_STREAM }, undefined, this.#listening)
      if (reply.status !== 200 || mediaType(reply) !== EVENT_STREAM)
        throw (await readRefusal(reply, this.#streamPeer.url)).error
      await this.#read(reply)
      throw new ParleyError('transport_error', { message: `${shownUrl(this.#streamPeer.url)} ended the stream` })
    } catch (error) {
      this.#end(asTransportError(error))
    }
  }

  #read(reply: HttpReply): Promise<void> {
    const maxBytes = this.#events?.maxBytes ?? DEFAULT_LIMITS.maxBytes
    return readEvents(reply, new SseParser({ maxLength: maxBytes + FIELD_NAMES_LENGTH }), (event) =>
      this.#dispatch(event),
    )
  }

  #dispatch({ event = 'message', data }: SseEvent): void {
    if (event === 'endpoint' && this.#messagePeer === undefined) {
      this.#messagePeer = new HttpPeer(this.#endpointFrom(data), this.#settings)
      this.#onEndpoint()
    } else if (event === 'message' && data !== '') this.#receive(data)
  }

  /** The endpoint must have the origin of the stream: messages and credentials are for that server only. */
  #endpointFrom(data: string): URL {
    const from = this.#streamPeer.url
    let target: URL
    try {
      target = httpAddress(new URL(data, from))
    } catch (cause) {
      throw new ParleyError('transport_error', {
        message: `${shownUrl(from)} named an endpoint that is no address: ${JSON.stringify(data.slice(0, 200))}`,
        cause,
      })
    }
    if (target.origin === from.origin) return target
    throw new ParleyError('transport_error', {
      message: `${shownUrl(from)} wants messages to be sent to another server: ${shownUrl(target)}`,
    })
  }

  #post(frame: string, { abortController }: Posting): Promise<HttpReply> {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, text/plain, */*` }
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    return (this.#messagePeer as HttpPeer).request('POST', headers, frame, abortController)
  }

  /** The response only confirms the message. The answer comes on the stream. */
  async #handleReply(reply: HttpReply, posting: Posting): Promise<void> {
    const { url } = this.#messagePeer as HttpPeer
    if (reply.status < 200 || reply.status > 299) {
      const refusal = await readRefusal(reply, url)
      const [request] = posting.requests
      const answer = answerIn(refusal, posting)
      if (answer === undefined || request === undefined) throw refusal.error
      return this.#receive(errorText(request, answer.error))
    }
    await drain(reply)
  }

  #receive(frame: string): void {
    if (this.#closed) return
    this.#outbox.received(frame, true)
    this.#events?.frame(frame)
  }
}

/** A link to a server that speaks HTTP+SSE only. */
export function sseLink(url: string | URL, options: HttpLinkOptions = {}): Link {
  return new SseClientLink(httpAddress(url), settleHttp(options))
}

/**
 * The client end of HTTP+SSE, the transport of 2024-11-05: everything comes on one stream, and goes to the address it
 * names first.
 */
import { ParleyError } from '../../errors/index.ts'
import {
  DEFAULT_LIMITS,
  errorText,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
} from '../../jsonrpc/index.ts'
import { type SseEvent, SseParser } from '../sse.ts'
import { drain, FIELD_NAMES, mediaType, readEvents } from './client-body.ts'
import { type HttpReply, shownUrl } from './client-call.ts'
import { asTransportError, tellFailure } from './client-failure.ts'
import { type HttpLinkOptions, type HttpLinkSettings, settleHttp } from './client-options.ts'
import { Outbox, type Posting } from './client-outbox.ts'
import { HttpPeer, httpAddress } from './client-peer.ts'
import { answerIn, readRefusal } from './client-refusal.ts'
import { Hangup } from './hangup.ts'
import { EVENT_STREAM, JSON_TYPE } from './media-types.ts'

class SseClientLink implements Link {
  readonly transport = 'sse'
  readonly #settings: HttpLinkSettings
  readonly #source: HttpPeer
  readonly #outbox: Outbox
  readonly #listening = new Hangup()
  #target: HttpPeer | undefined
  #foundTarget: () => void = () => {}
  #events: LinkEvents | undefined
  #version: string | undefined
  #closed = false
  #farewell: Promise<void> = Promise.resolve()

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#settings = settings
    this.#source = new HttpPeer(url, settings)
    this.#outbox = new Outbox(settings, {
      post: (frame, posting) => this.#post(frame, posting),
      take: (reply, posting) => this.#take(reply, posting),
      failed: (request, error) => {
        if (!this.#closed) tellFailure(this.#events, request, asTransportError(error))
      },
    })
    this.#outbox.hold(
      new Promise((resolve) => {
        this.#foundTarget = resolve
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

  /** The stream is closed last: with it the server forgets what it was told before. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      const events = this.#events
      if (events !== undefined) queueMicrotask(() => events.closed())
      const sent = this.#target === undefined ? undefined : this.#outbox.finish()
      if (sent === undefined) this.#hangUp()
      else this.#farewell = sent.then(() => this.#hangUp())
    }
    return this.#farewell
  }

  #hangUp(): void {
    this.#outbox.close()
    this.#foundTarget()
    this.#listening.abort()
  }

  /** The stream is the session: when it is over, so is everything. */
  #end(reason: ParleyError): void {
    if (this.#closed) return
    this.#closed = true
    this.#hangUp()
    this.#events?.closed(reason)
  }

  async #listen(): Promise<void> {
    try {
      const reply = await this.#source.request('GET', { accept: EVENT_STREAM }, undefined, this.#listening)
      if (reply.status !== 200 || mediaType(reply) !== EVENT_STREAM)
        throw (await readRefusal(reply, this.#source.url)).error
      await this.#read(reply)
      throw new ParleyError('transport_error', { message: `${shownUrl(this.#source.url)} ended the stream` })
    } catch (error) {
      this.#end(asTransportError(error))
    }
  }

  #read(reply: HttpReply): Promise<void> {
    const maxBytes = this.#events?.maxBytes ?? DEFAULT_LIMITS.maxBytes
    return readEvents(reply, new SseParser({ maxLength: maxBytes + FIELD_NAMES }), (event) => this.#dispatch(event))
  }

  #dispatch({ event = 'message', data }: SseEvent): void {
    if (event === 'endpoint' && this.#target === undefined) {
      this.#target = new HttpPeer(this.#endpointFrom(data), this.#settings)
      this.#foundTarget()
    } else if (event === 'message' && data !== '') this.#receive(data)
  }

  /** Messages and credentials go to the server that was named, wherever it says its mailbox is. */
  #endpointFrom(data: string): URL {
    const from = this.#source.url
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

  #post(frame: string, { hangup }: Posting): Promise<HttpReply> {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, text/plain, */*` }
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    return (this.#target as HttpPeer).request('POST', headers, frame, hangup)
  }

  /** The response only says that the message came; the answer comes on the stream. */
  async #take(reply: HttpReply, posting: Posting): Promise<void> {
    const { url } = this.#target as HttpPeer
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

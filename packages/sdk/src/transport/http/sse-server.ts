/** The server's link of HTTP+SSE of 2024-11-05: sends all messages on one stream, and ends with it. */
import { ParleyError } from '../../errors/index.ts'
import type { Incoming, Link, LinkEvents } from '../../jsonrpc/index.ts'
import { sseComment, sseEvent } from '../sse.ts'
import type { Sink } from './exchange.ts'

export interface SseServerLinkOptions {
  /** The address for the client's messages, relative to the address of the stream. */
  endpoint: string
  /** Most unread bytes of the client. Over this limit the connection is closed. */
  maxUnread: number
}

const HEARTBEAT = sseComment('keep-alive')

export class SseServerLink implements Link {
  readonly transport = 'sse'
  readonly #sink: Sink
  readonly #maxUnread: number
  #events: LinkEvents | undefined
  #over = false
  #reason: Error | undefined

  constructor(sink: Sink, { endpoint, maxUnread }: SseServerLinkOptions) {
    this.#sink = sink
    this.#maxUnread = maxUnread
    sink.onClose(() => this.#end(undefined))
    sink.write(sseEvent({ event: 'endpoint', data: endpoint }))
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: 'This HTTP+SSE link is already in use' })
    this.#events = events
    if (this.#over) queueMicrotask(() => events.closed(this.#reason))
  }

  /** A posted message. */
  receive(text: string, incoming: Incoming): void {
    if (!this.#over) this.#events?.frame(text, incoming)
  }

  send(frame: string): void {
    if (this.#over) throw new ParleyError('transport_error', { message: 'The HTTP+SSE link is closed' })
    const { buffered } = this.#sink
    if (buffered > this.#maxUnread) {
      const error = new ParleyError('transport_error', {
        message: `The client does not read: ${buffered} bytes wait for it`,
      })
      this.#end(error)
      this.#sink.abort()
      throw error
    }
    this.#sink.write(sseEvent({ event: 'message', data: frame }))
  }

  heartbeat(): void {
    // Do not send more to a client that does not read.
    if (!this.#over && this.#sink.buffered <= this.#maxUnread) this.#sink.write(HEARTBEAT)
  }

  close(): void {
    if (this.#over) return
    this.#end(undefined)
    this.#sink.end()
  }

  #end(reason: Error | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#reason = reason
    const events = this.#events
    if (events !== undefined) queueMicrotask(() => events.closed(reason))
  }
}

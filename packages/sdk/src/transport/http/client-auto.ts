/**
 * A link to an HTTP server of unknown age: the first message is tried over Streamable HTTP, and over HTTP+SSE if that
 * is refused (C-42).
 */
import { ParleyError } from '../../errors/index.ts'
import { type Link, type LinkEvents, parse, type RequestId, type SendOptions } from '../../jsonrpc/index.ts'
import { httpLink } from './client.ts'
import { tellFailure } from './client-failure.ts'
import { isStateless, readOutgoing } from './client-frames.ts'
import type { HttpLinkOptions } from './client-options.ts'
import { httpAddress } from './client-peer.ts'
import { statusOf } from './client-refusal.ts'
import { sseLink } from './sse-client.ts'

export type HttpTransport = 'auto' | 'streamable-http' | 'sse'

export interface OpenHttpOptions extends HttpLinkOptions {
  /** `auto` finds out. Default `auto`. */
  transport?: HttpTransport
}

/** What servers that know only HTTP+SSE say to a POST at the address of their stream. */
const MAY_BE_OLDER: ReadonlySet<number | undefined> = new Set([400, 404, 405])

class AutoHttpLink implements Link {
  readonly #url: URL
  readonly #options: HttpLinkOptions
  #inner: Link
  #events: LinkEvents | undefined
  /** What was sent before it was clear how to send; undefined from then on. */
  #unsettled: { frame: string; options: SendOptions | undefined }[] | undefined = []
  /**
   * Requests among it that no older server knows: that one refuses them says nothing of the transport, and nobody asks
   * it again.
   */
  readonly #probes = new Set<RequestId>()

  constructor(url: URL, options: HttpLinkOptions) {
    this.#url = url
    this.#options = options
    this.#inner = httpLink(url, options)
  }

  get transport(): string {
    return this.#inner.transport
  }

  get hears(): boolean {
    return this.#inner.hears ?? true
  }

  get remembered(): boolean {
    return this.#inner.remembered ?? true
  }

  get mirrors(): boolean {
    return this.#inner.mirrors === true
  }

  get withdraw(): Link['withdraw'] {
    const inner = this.#inner
    if (inner.withdraw === undefined) return undefined
    return (request) => {
      this.#probes.delete(request)
      inner.withdraw?.(request)
    }
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: 'This HTTP link is already in use' })
    this.#events = events
    const inner = this.#inner
    inner.open({
      ...(events.maxBytes === undefined ? {} : { maxBytes: events.maxBytes }),
      frame: (text, parsed, origin) => {
        if (this.#unsettled !== undefined && !this.#refusesProbe(text)) this.#settle()
        events.frame(text, parsed, origin)
      },
      failed: (request, error) => this.#failed(request, error as ParleyError),
      released: (request, retry) => events.released?.(request, retry),
      closed: (reason) => {
        if (this.#inner === inner) events.closed(reason)
      },
    })
  }

  send(frame: string, options?: SendOptions): void {
    this.#inner.send(frame, options)
    if (this.#unsettled === undefined) return
    if (isStateless(options)) for (const id of readOutgoing(frame).requests) this.#probes.add(id)
    else this.#unsettled.push({ frame, options })
  }

  negotiated(version: string): void {
    this.#inner.negotiated?.(version)
  }

  abandon(request: RequestId): void {
    this.#inner.abandon?.(request)
  }

  close(): void | Promise<void> {
    return this.#inner.close()
  }

  #settle(): void {
    this.#unsettled = undefined
    this.#probes.clear()
  }

  #refusesProbe(text: string): boolean {
    if (this.#probes.size === 0) return false
    const read = parse(text)
    return read.kind === 'error' && this.#probes.delete(read.message.id as RequestId)
  }

  #failed(request: RequestId | undefined, error: ParleyError): void {
    const frames = this.#unsettled
    const decides =
      frames !== undefined &&
      request !== undefined &&
      !this.#probes.delete(request) &&
      MAY_BE_OLDER.has(statusOf(error))
    if (!decides) return tellFailure(this.#events, request, error)
    const probes = [...this.#probes]
    this.#settle()
    this.#fallBack(frames, error)
    for (const probe of probes) tellFailure(this.#events, probe, error)
  }

  #fallBack(frames: readonly { frame: string; options: SendOptions | undefined }[], refusal: ParleyError): void {
    const events = this.#events as LinkEvents
    const refused = this.#inner
    const older = sseLink(this.#url, this.#options)
    this.#inner = older
    refused.close()
    let works = false
    older.open({
      ...(events.maxBytes === undefined ? {} : { maxBytes: events.maxBytes }),
      frame: (text, parsed) => {
        works = true
        events.frame(text, parsed)
      },
      failed: (request, error) => tellFailure(events, request, error as ParleyError),
      closed: (reason) => events.closed(works || reason === undefined ? reason : neither(refusal, reason)),
    })
    for (const { frame, options } of frames) older.send(frame, options)
  }
}

function neither(refusal: ParleyError, cause: Error): ParleyError {
  return new ParleyError('transport_error', {
    message: `Neither Streamable HTTP nor HTTP+SSE: ${[...new Set([refusal.message, cause.message])].join('; ')}`,
    cause,
    ...(refusal.data === undefined ? {} : { data: refusal.data }),
  })
}

const LINKS: Readonly<Record<HttpTransport, (url: URL, options: HttpLinkOptions) => Link>> = {
  auto: (url, options) => new AutoHttpLink(url, options),
  'streamable-http': httpLink,
  sse: sseLink,
}

/** A link to a server by its HTTP address. */
export function openHttp(url: string | URL, { transport = 'auto', ...options }: OpenHttpOptions = {}): Link {
  const open = Object.hasOwn(LINKS, transport) ? LINKS[transport] : undefined
  if (open === undefined)
    throw new ParleyError('transport_error', {
      message: `${String(transport)} is none of ${Object.keys(LINKS).join(', ')}`,
    })
  return open(httpAddress(url), options)
}

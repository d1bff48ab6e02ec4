/** A link that finds out the HTTP transport of a server: it tries Streamable HTTP first, then HTTP+SSE (C-42). */
import { ParleyError } from '../../../errors/index.ts'
import { type Link, type LinkEvents, parse, type RequestId, type SendOptions } from '../../../jsonrpc/index.ts'
import { tellFailure } from './failure.ts'
import { isStateless, readOutgoing } from './frames.ts'
import type { HttpLinkOptions } from './options.ts'
import { httpAddress } from './peer.ts'
import { statusOf } from './refusal.ts'
import { sseLink } from './sse-link.ts'
import { httpLink } from './streamable-link.ts'

export type HttpTransport = 'auto' | 'streamable-http' | 'sse'

export interface OpenHttpOptions extends HttpLinkOptions {
  /** `auto` tries both. Default `auto`. */
  transport?: HttpTransport
}

/** The statuses with which HTTP+SSE servers answer a POST to their stream. */
const MAY_BE_SSE_ONLY: ReadonlySet<number | undefined> = new Set([400, 404, 405])

class AutoHttpLink implements Link {
  readonly #url: URL
  readonly #options: HttpLinkOptions
  #inner: Link
  #events: LinkEvents | undefined
  /** The frames that were sent before the transport was known. Undefined after that. */
  #unsettled: { frame: string; options: SendOptions | undefined }[] | undefined = []
  /** Stateless requests among these frames. Old servers refuse them over any transport, so they are not sent again. */
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
    const isDecisive =
      frames !== undefined &&
      request !== undefined &&
      !this.#probes.delete(request) &&
      MAY_BE_SSE_ONLY.has(statusOf(error))
    if (!isDecisive) return tellFailure(this.#events, request, error)
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
      closed: (reason) => events.closed(works || reason === undefined ? reason : bothRefused(refusal, reason)),
    })
    for (const { frame, options } of frames) older.send(frame, options)
  }
}

function bothRefused(refusal: ParleyError, cause: Error): ParleyError {
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

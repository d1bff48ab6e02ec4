/** Gives one request of a Node server to the site. */
import { isUtf8 } from 'node:buffer'
import type { ErrorKind } from '../../errors/index.ts'
import { type HttpSite, refuse, type SiteRoute } from '../../serve/index.ts'
import type { Clock } from '../../session/index.ts'
import type { Exchange } from '../../transport/index.ts'
import { NodeExchange, type NodeRequest, type NodeResponse } from './exchange.ts'
import { hasTwoHosts, TWO_HOSTS } from './request-target.ts'

type BodyFault = 'too-long' | 'too-slow' | 'not-text' | 'broken-off'

const faults: Readonly<
  Record<Exclude<BodyFault, 'broken-off'>, readonly [status: number, kind: ErrorKind, message: string]>
> = {
  'too-long': [413, 'message_too_large', 'The message is longer than this server reads'],
  'too-slow': [408, 'request_timeout', 'The request did not arrive in time'],
  'not-text': [400, 'parse_error', 'The body is not UTF-8'],
}

export function serveExchange(site: HttpSite, request: NodeRequest, response: NodeResponse): void {
  const exchange = new NodeExchange(request, response, site)
  if (hasTwoHosts(request)) return refuse(exchange, ...TWO_HOSTS)
  const route = admit(site, exchange)
  if (route === undefined) return
  if (request.method !== 'POST') return handle(site, route, exchange)
  const reader = new BodyReader(request, route.maxBytes, (text, fault) => {
    if (fault === 'broken-off') return
    if (fault !== undefined) return refuse(exchange, ...faults[fault])
    exchange.body = text
    exchange.bodyPending = false
    handle(site, route, exchange)
  })
  if (request.httpVersionMajor > 1) reader.within(site.settings.requestTimeout, site.settings.clock)
}

/** The same for an exchange whose body is read already; `isText` is false when the body is not UTF-8. */
export function serveRead(site: HttpSite, exchange: Exchange, isText: boolean): void {
  const route = admit(site, exchange)
  if (route === undefined) return
  if (isText) handle(site, route, exchange)
  else refuse(exchange, ...faults['not-text'])
}

function admit(site: HttpSite, exchange: Exchange): SiteRoute | undefined {
  try {
    return site.admit(exchange)
  } catch (error) {
    site.failed(exchange, error)
    return undefined
  }
}

function handle(site: HttpSite, { mount }: SiteRoute, exchange: Exchange): void {
  try {
    mount.handle(exchange)
  } catch (error) {
    site.failed(exchange, error)
  }
}

/** Reads the body of a request within limits. Calls `done` once, with the text or with a fault. */
class BodyReader {
  readonly #maxBytes: number
  readonly #done: (text: string, fault: BodyFault | undefined) => void
  readonly #expected: number
  #chunks: Buffer[] | undefined
  #length = 0
  #over = false
  #cancelTimer: (() => void) | undefined

  constructor(request: NodeRequest, maxBytes: number, done: (text: string, fault: BodyFault | undefined) => void) {
    this.#maxBytes = maxBytes
    this.#done = done
    this.#expected = Number(request.headers['content-length'] ?? Number.NaN)
    request.on('data', (chunk: Buffer) => this.#take(chunk))
    request.on('end', () => this.#finish(undefined))
    request.on('close', () => this.#fail('broken-off'))
    request.on('error', () => this.#fail('broken-off'))
  }

  /** For HTTP/2: the servers of HTTP/1.1 have their own timeout. */
  within(ms: number, clock: Clock): this {
    if (!this.#over) this.#cancelTimer = clock.after(ms, () => this.#fail('too-slow'))
    return this
  }

  #take(chunk: Buffer): void {
    if (this.#over) return
    this.#length += chunk.length
    if (this.#length > this.#maxBytes) return this.#fail('too-long')
    // Nearly every body comes in one piece of the announced length: no need to wait for the end.
    if (this.#chunks === undefined && this.#length === this.#expected) return this.#finish(chunk)
    this.#chunks ??= []
    this.#chunks.push(chunk)
    if (this.#length === this.#expected) this.#finish(undefined)
  }

  #finish(whole: Buffer | undefined): void {
    if (this.#over) return
    const bytes = whole ?? (this.#chunks === undefined ? EMPTY : Buffer.concat(this.#chunks, this.#length))
    if (!isUtf8(bytes)) return this.#fail('not-text')
    this.#close()
    this.#done(bytes.toString('utf8'), undefined)
  }

  #fail(fault: BodyFault): void {
    if (this.#over) return
    this.#close()
    this.#done('', fault)
  }

  #close(): void {
    this.#over = true
    this.#chunks = undefined
    this.#cancelTimer?.()
  }
}

const EMPTY = Buffer.alloc(0)

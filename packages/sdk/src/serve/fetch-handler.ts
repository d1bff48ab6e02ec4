/** Serves over HTTP in every runtime with `Request` and `Response`: workers, Deno, Bun, frameworks. */
import type { CloseOptions } from '../session/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../transport/index.ts'
import type { HttpOptions } from './options.ts'
import { refuse } from './responses/refusal.ts'
import { HttpSite, type Servable } from './site/site.ts'

export interface FetchHandler {
  (request: Request): Promise<Response>
  /** The number of sessions. */
  readonly sessions: number
  /** Ends all sessions. Later requests are refused. */
  close(options?: CloseOptions): Promise<void>
}

export function fetchHandler(server: Servable, options: HttpOptions = {}): FetchHandler {
  const site = new HttpSite(options)
  site.serve(server, options)
  const handle = (request: Request): Promise<Response> =>
    new Promise((resolve) => void serve(site, new FetchExchange(request, site, resolve), request))
  const handler = Object.assign(handle, { close: (closing?: CloseOptions) => site.close(closing) })
  return Object.defineProperty(handler, 'sessions', { get: () => site.sessions }) as typeof handler & {
    sessions: number
  }
}

async function serve(site: HttpSite, exchange: FetchExchange, request: Request): Promise<void> {
  try {
    const route = site.admit(exchange)
    if (route === undefined) return
    if (request.body !== null && !(await readBody(site, route.maxBytes, exchange, request.body))) return
    route.mount.handle(exchange)
  } catch (error) {
    site.failed(exchange, error)
  }
}

/** Returns false, and answers, if the body is too long, too slow, incomplete or not text. */
async function readBody(
  site: HttpSite,
  maxBytes: number,
  exchange: FetchExchange,
  body: ReadableStream<Uint8Array>,
): Promise<boolean> {
  const { clock, requestTimeout } = site.settings
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let late = false
  const cancelTimer = clock.after(requestTimeout, () => {
    late = true
    reader.cancel().catch(() => {})
  })
  let length = 0
  let text = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length
      if (length > maxBytes) {
        reader.cancel().catch(() => {})
        refuse(exchange, 413, 'message_too_large', `Messages are limited to ${maxBytes} bytes`)
        return false
      }
      text += decoder.decode(part.value, { stream: true })
    }
    exchange.body = text + decoder.decode()
  } catch {
    refuse(exchange, 400, 'parse_error', 'The body cannot be read as UTF-8')
    return false
  } finally {
    cancelTimer()
  }
  if (late) refuse(exchange, 408, 'request_timeout', `The request did not arrive within ${requestTimeout} ms`)
  return !late
}

class FetchExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  body = ''
  /** The whole request: some runtimes do not abort its signal if only the signal is referenced. */
  readonly #request: Request
  readonly #host: string
  readonly #site: HttpSite
  readonly #resolve: (response: Response) => void

  constructor(request: Request, site: HttpSite, resolve: (response: Response) => void) {
    const url = new URL(request.url)
    this.method = request.method.toUpperCase()
    this.path = url.pathname
    this.query = url.search.slice(1)
    this.#request = request
    this.#host = url.host
    this.#site = site
    this.#resolve = resolve
  }

  get gone(): boolean {
    return this.#request.signal.aborted
  }

  /** Does not report a client that stops reading a stream. The sink reports that. */
  onGone(listener: () => void): () => void {
    if (this.gone) listener()
    else this.#request.signal.addEventListener('abort', listener, { once: true })
    return () => this.#request.signal.removeEventListener('abort', listener)
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined)
  }

  respond(status: number, headers: ResponseHeaders, body?: ResponseBody): void {
    const whole =
      body === undefined || this.method === 'HEAD'
        ? null
        : typeof body === 'string'
          ? body
          : new Blob(body as BlobPart[])
    this.#resolve(new Response(whole, { status, headers: this.#withCors(headers) }))
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    const sink = new StreamSink()
    if (this.gone) sink.abort('The client is gone')
    this.#resolve(new Response(sink.readable, { status, headers: this.#withCors(headers) }))
    return sink
  }

  #withCors(headers: ResponseHeaders): Record<string, string> {
    return { ...headers, ...this.#site.corsHeaders(this.header('origin')) }
  }
}

const encoder = new TextEncoder()

class StreamSink implements Sink {
  readonly readable: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #onClose: (() => void) | undefined

  constructor() {
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => this.#close(),
    }
    this.readable = new ReadableStream(source, { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 })
  }

  get buffered(): number {
    return -(this.#controller?.desiredSize ?? 0)
  }

  onClose(listener: () => void): void {
    if (this.#controller === undefined) listener()
    else this.#onClose = listener
  }

  write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text))
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text)
    this.#controller?.close()
    this.#close()
  }

  abort(why = 'The reader was too slow'): void {
    this.#controller?.error(new Error(why))
    this.#close()
  }

  #close(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    this.#onClose?.()
  }
}

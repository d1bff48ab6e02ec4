/** Serves over HTTP wherever there are `Request` and `Response`: workers, Deno, Bun, frameworks. */
import type { CloseOptions } from '../session/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../transport/index.ts'
import type { HttpOptions } from './options.ts'
import { refuse } from './refusal.ts'
import { HttpSite, type Servable } from './site.ts'

export interface FetchHandler {
  (request: Request): Promise<Response>
  /** How many sessions there are. */
  readonly sessions: number
  /** Ends all sessions; requests that come later are refused. */
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
    const station = site.admit(exchange)
    if (station === undefined) return
    if (request.body !== null && !(await readBody(site, station.maxBytes, exchange, request.body))) return
    station.mount.handle(exchange)
  } catch (error) {
    site.failed(exchange, error)
  }
}

/** False when it was too long, too slow, broken off or not text. */
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
  /** All of it: some runtimes forget to abort its signal once only the signal is held. */
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

  /** Who reads a stream of ours and stops may not be noticed here; its sink is told. */
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
    if (this.gone) sink.abort('The reader is gone')
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
      cancel: () => this.#over(),
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
    this.#over()
  }

  abort(why = 'The reader was too slow'): void {
    this.#controller?.error(new Error(why))
    this.#over()
  }

  #over(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    this.#onClose?.()
  }
}

/** Sends HTTP requests to servers through undici's connection pools. They take half the time of `node:http`. */
import { brokenOff, type HttpCall, type HttpReply, type HttpRequest, unreachable } from 'parley-mcp/engine'
import type { Agent, Dispatcher } from 'undici'

/** Many servers close idle connections after 5 seconds. A shorter time here avoids requests on a closing connection. */
const KEEP_ALIVE_MS = 4000

/** Created with the first request, because undici loads slowly and a server over stdio does not need it. */
let agent: Agent | undefined
let loading: Promise<Agent> | undefined

async function loadAgent(): Promise<Agent> {
  const undici = await import('undici')
  // A stream may be silent for any time. The session has its own timeouts.
  const silence = { bodyTimeout: 0, headersTimeout: 0 }
  agent = new undici.Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    ...silence,
    connect: { timeout: 30_000 },
  })
  return agent
}

/** Cache: the path is computed once per URL object, not once per request. */
const paths = new WeakMap<URL, string>()

function pathOf(url: URL): string {
  let path = paths.get(url)
  if (path === undefined) {
    path = url.pathname + url.search
    paths.set(url, path)
  }
  return path
}

export const pooledCall: HttpCall = (request) => {
  if (agent !== undefined) return exchange(agent, request)
  loading ??= loadAgent()
  return loading.then((loaded) => exchange(loaded, request))
}

function exchange(pool: Agent, request: HttpRequest): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const { abortController, url, method, headers, body } = request
    if (abortController.aborted) return reject(abortController.reason)
    pool.dispatch(
      { origin: url.origin, path: pathOf(url), method, headers, body: body ?? null },
      new PooledExchange(request, resolve, reject),
    )
  })
}

class PooledExchange implements Dispatcher.DispatchHandler, HttpReply {
  status = 0
  readonly #request: HttpRequest
  readonly #resolve: (reply: HttpReply) => void
  readonly #reject: (error: unknown) => void
  #headers: Record<string, string | string[] | undefined> = {}
  #controller: Dispatcher.DispatchController | undefined
  /** Chunks that arrived before `read` was called. */
  #early: Uint8Array[] | undefined
  #take: ((chunk: Uint8Array) => void) | undefined
  #readDone: (() => void) | undefined
  #readFailed: ((error: unknown) => void) | undefined
  #ended = false
  #failure: unknown
  readonly #abort = (): void => this.#controller?.abort(new Error('given up'))

  constructor(request: HttpRequest, resolve: (reply: HttpReply) => void, reject: (error: unknown) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.abortController.on(this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#request.abortController.aborted) this.#abort()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An informational response precedes the real one.
    if (status < 200) return
    this.status = status
    this.#headers = headers
    const encoding = this.header('content-encoding')
    if (encoding === undefined || encoding === 'identity') return this.#resolve(this)
    this.#reject(
      unreachable(
        this.#request.url,
        new Error(`the response has the encoding ${encoding}, which the request does not accept`),
      ),
    )
    this.#abort()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#take !== undefined) return this.#give(chunk)
    this.#early ??= []
    this.#early.push(chunk)
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#release()
    this.#readDone?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release()
    const { abortController, url } = this.#request
    this.#failure = abortController.aborted
      ? abortController.reason
      : this.status === 0
        ? unreachable(url, error)
        : brokenOff(url, error)
    // Only one of these two promises is still pending.
    this.#reject(this.#failure)
    this.#readFailed?.(this.#failure)
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  read(take: (chunk: Uint8Array) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#take = take
      this.#readDone = resolve
      this.#readFailed = reject
      for (const chunk of this.#early ?? []) this.#give(chunk)
      this.#early = undefined
      if (this.#ended) resolve()
      else if (this.#failure !== undefined) reject(this.#failure)
    })
  }

  discard(): void {
    if (!this.#ended) this.#abort()
  }

  #give(chunk: Uint8Array): void {
    try {
      this.#take?.(chunk)
    } catch (error) {
      this.#take = () => {}
      this.#readFailed?.(error)
      this.discard()
    }
  }

  #release(): void {
    this.#request.abortController.off(this.#abort)
  }
}

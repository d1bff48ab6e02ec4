/** HTTP requests to servers through undici's pools: for a gateway, whose every second message is one, they cost half of what `node:http` takes. */
import { brokenOff, type HttpCall, type HttpReply, type HttpRequest, unreachable } from 'parley-mcp/engine'
import type { Agent, Dispatcher } from 'undici'

/** Less than the five seconds after which many servers hang up on an idle connection, so that no message meets a closing door. */
const KEPT_IDLE = 4000

/** Made with the first request: loading undici takes longer than loading all else, and a server over stdio needs none of it. */
let agent: Agent | undefined
let loading: Promise<Agent> | undefined

async function loadAgent(): Promise<Agent> {
  const undici = await import('undici')
  // A stream may be silent for as long as it likes; time-outs are the session's business.
  const silence = { bodyTimeout: 0, headersTimeout: 0 }
  agent = new undici.Agent({ keepAliveTimeout: KEPT_IDLE, keepAliveMaxTimeout: KEPT_IDLE, ...silence, connect: { timeout: 30_000 } })
  return agent
}

/** Ways taken apart once per address, not once per request. */
const ways = new WeakMap<URL, string>()

function wayOf(url: URL): string {
  let way = ways.get(url)
  if (way === undefined) {
    way = url.pathname + url.search
    ways.set(url, way)
  }
  return way
}

export const pooledCall: HttpCall = (request) => {
  if (agent !== undefined) return exchange(agent, request)
  loading ??= loadAgent()
  return loading.then((loaded) => exchange(loaded, request))
}

function exchange(pool: Agent, request: HttpRequest): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const { hangup, url, method, headers, body } = request
    if (hangup.aborted) return reject(hangup.reason)
    pool.dispatch({ origin: url.origin, path: wayOf(url), method, headers, body: body ?? null }, new Exchange(request, resolve, reject))
  })
}

class Exchange implements Dispatcher.DispatchHandler, HttpReply {
  status = 0
  readonly #request: HttpRequest
  readonly #resolve: (reply: HttpReply) => void
  readonly #reject: (error: unknown) => void
  #headers: Record<string, string | string[] | undefined> = {}
  #controller: Dispatcher.DispatchController | undefined
  /** What came before somebody reads. */
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
    request.hangup.on(this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#request.hangup.aborted) this.#abort()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Only a note that something will come.
    if (status < 200) return
    this.status = status
    this.#headers = headers
    const encoding = this.header('content-encoding')
    if (encoding === undefined || encoding === 'identity') return this.#resolve(this)
    this.#reject(unreachable(this.#request.url, new Error(`the answer is encoded as ${encoding}, which was not asked for`)))
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
    const { hangup, url } = this.#request
    this.#failure = hangup.aborted ? hangup.reason : this.status === 0 ? unreachable(url, error) : brokenOff(url, error)
    // Whichever of them is still waiting.
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
    this.#request.hangup.off(this.#abort)
  }
}

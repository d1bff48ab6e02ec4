/** One connection over which a test says and reads every byte itself, and a count of what reaches `node:http`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import type { ServeHttpOptions } from '../../src/node/index.ts'
import { JSON_HEADERS, type Rig, serve } from './http-server.fixtures.ts'

export const serveFast = (options: ServeHttpOptions = {}): Promise<Rig> => serve({ fastHttp: true, ...options })

export interface RawResponse {
  status: number
  /** With the empty line after it. */
  head: string
  /** As it came, with all of its framing. */
  body: string
}

export interface RawRequest {
  method?: string
  path?: string
  /** In this order; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>
  /** Objects are sent as JSON. */
  body?: unknown
}

/** A header that sends a request to `node:http` and changes nothing else. */
export const FOR_NODE_HTTP = { TE: 'trailers' }

export function raw({ method = 'POST', path = '/mcp', headers = {}, body = '' }: RawRequest): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const own = method === 'POST' ? { ...JSON_HEADERS, 'content-length': String(bytes.length) } : {}
  const all = Object.entries({ host: '127.0.0.1', ...own, ...headers }).filter(([, value]) => value !== undefined)
  return Buffer.concat([
    Buffer.from(
      `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      'latin1',
    ),
    bytes,
  ])
}

/** What has been written by now, over connections of this process, has been read after that. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

const wires = new Set<Wire>()

/** To be called after each test. */
export function hangUpAll(): void {
  for (const wire of wires) wire.hangUp()
  wires.clear()
}

export class Wire {
  readonly socket: Socket
  /** What came and was not asked for yet. */
  rest = ''
  /** The server says no more. */
  ended = false
  closed = false
  readonly #wakers = new Set<() => void>()

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.rest += chunk.toString('latin1')
      this.#wake()
    })
    socket.on('end', () => {
      this.ended = true
      this.#wake()
    })
    socket.on('close', () => {
      this.closed = true
      this.#wake()
    })
    socket.on('error', () => {})
    wires.add(this)
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Wire(socket)
  }

  write(bytes: Buffer | string): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()))
  }

  /** Sends a request and reads the response. */
  async ask(request: RawRequest): Promise<RawResponse> {
    await this.write(raw(request))
    return this.response()
  }

  /** The next one. */
  async response(): Promise<RawResponse> {
    const head = await this.#through('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (Number.isNaN(status)) throw new Error(`This is no response: ${JSON.stringify(head)}`)
    const length = /^content-length: (\d+)\r$/im.exec(head)?.[1]
    const isChunked = /^transfer-encoding: chunked\r$/im.test(head)
    let body = ''
    if (isChunked) for (let chunk = ''; chunk !== '0\r\n\r\n'; body += chunk) chunk = await this.#chunk()
    else if (status !== 304) body = await this.#take(Number(length ?? 0))
    return { status, head, body }
  }

  /** The beginning of one that is a stream: its head and as much as the test waits for. */
  async until(holds: (rest: string) => boolean): Promise<string> {
    while (!holds(this.rest)) await this.#more()
    return this.rest
  }

  /** All that comes until the server says no more. */
  async last(): Promise<string> {
    while (!this.ended && !this.closed) await this.#waken()
    return this.rest
  }

  hangUp(): void {
    this.socket.destroy()
  }

  async #chunk(): Promise<string> {
    const line = await this.#through('\r\n')
    return line + (await this.#take(Number.parseInt(line, 16) + 2))
  }

  async #through(mark: string): Promise<string> {
    while (!this.rest.includes(mark)) await this.#more()
    return this.#take(this.rest.indexOf(mark) + mark.length)
  }

  async #take(length: number): Promise<string> {
    while (this.rest.length < length) await this.#more()
    const taken = this.rest.slice(0, length)
    this.rest = this.rest.slice(length)
    return taken
  }

  async #more(): Promise<void> {
    if (this.ended || this.closed)
      throw new Error(`The connection ended after ${JSON.stringify(this.rest.slice(-300))}`)
    await this.#waken()
  }

  #waken(): Promise<void> {
    return new Promise((resolve) => this.#wakers.add(resolve))
  }

  #wake(): void {
    for (const waker of this.#wakers) waker()
    this.#wakers.clear()
  }
}

/** How many requests to this port `node:http` has been asked to answer meanwhile. */
export async function countedByNode(port: number, run: () => Promise<unknown>): Promise<number> {
  let count = 0
  const listener = (message: unknown): void => {
    if ((message as { socket: Socket }).socket.localPort === port) count++
  }
  subscribe('http.server.request.start', listener)
  try {
    await run()
  } finally {
    unsubscribe('http.server.request.start', listener)
  }
  return count
}

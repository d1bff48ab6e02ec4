/** A bare HTTP client that sends exactly what a test says, and a server with tools for every kind of answer. */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { type HttpServing, type ServeHttpOptions, serveHttp } from '../../src/node/index.ts'
import { createServer, type Server, type ServerOptions, tool } from '../../src/server.ts'
import { type SseEvent, SseParser } from '../../src/transport/index.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Message
}

export interface Message {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export interface Call {
  method?: string
  path?: string
  headers?: Record<string, string | undefined>
  /** Objects are sent as JSON. */
  body?: unknown
  agent?: Agent
}

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Connections stay open, as those of most clients do. */
const kept = new Agent({ keepAlive: true })

export function start(
  port: number,
  { method = 'POST', path = '/mcp', headers = {}, body, agent }: Call,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all: Record<string, string> = {}
    for (const [name, value] of Object.entries({ ...(method === 'POST' ? JSON_HEADERS : {}), ...headers }))
      if (value !== undefined) all[name] = value
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers: all, agent: agent ?? kept }, resolve)
    request.on('error', reject)
    request.end(
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    )
  })
}

export async function call(port: number, options: Call): Promise<Answer> {
  const response = await start(port, options)
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== ''
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
}

/** An event stream being read. */
export class Events {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly seen: SseEvent[] = []
  /** All text, comments included. */
  text = ''
  ended = false
  readonly #response: IncomingMessage
  readonly #parser = new SseParser()
  readonly #wakers = new Set<() => void>()

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    this.#response = response
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      this.text += chunk
      this.seen.push(...this.#parser.push(chunk))
      this.#wake()
    })
    response.on('close', () => {
      this.ended = true
      this.#wake()
    })
    response.on('error', () => {})
  }

  get messages(): Message[] {
    return this.seen.filter((event) => event.data !== '').map((event) => JSON.parse(event.data))
  }

  get lastEventId(): string {
    return this.#parser.lastEventId
  }

  get retry(): number | undefined {
    return this.#parser.retry
  }

  /** Until the condition holds. */
  async until(holds: (events: this) => boolean): Promise<this> {
    while (!holds(this)) {
      if (this.ended) throw new Error(`The stream ended: ${this.text.slice(0, 500)}`)
      await new Promise<void>((resolve) => this.#wakers.add(resolve))
    }
    return this
  }

  async end(): Promise<this> {
    while (!this.ended) await new Promise<void>((resolve) => this.#wakers.add(resolve))
    return this
  }

  hangUp(): void {
    this.#response.destroy()
  }

  #wake(): void {
    for (const waker of this.#wakers) waker()
    this.#wakers.clear()
  }
}

export function initialize(
  version = '2025-11-25',
  capabilities: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo: { name: 'bare', version: '1' } },
  }
}

/** A session opened by hand. */
export class Peer {
  readonly port: number
  readonly id: string
  readonly version: string

  constructor(port: number, id: string, version: string) {
    this.port = port
    this.id = id
    this.version = version
  }

  /** Whatever form the server gives its answers. */
  static async open(port: number, version = '2025-11-25', capabilities: Record<string, unknown> = {}): Promise<Peer> {
    const answer = await call(port, { body: initialize(version, capabilities) })
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    const peer = new Peer(port, String(answer.headers['mcp-session-id']), version)
    await peer.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return peer
  }

  post(body: unknown, headers: Call['headers'] = {}): Promise<Answer> {
    return call(this.port, { body, headers: { 'mcp-session-id': this.id, ...headers } })
  }

  /** The answer as it comes, for what may become a stream. */
  async stream(body: unknown, headers: Call['headers'] = {}): Promise<Events> {
    return new Events(await start(this.port, { body, headers: { 'mcp-session-id': this.id, ...headers } }))
  }

  async listen(headers: Call['headers'] = {}): Promise<Events> {
    return new Events(
      await start(this.port, {
        method: 'GET',
        headers: { accept: 'text/event-stream', 'mcp-session-id': this.id, ...headers },
      }),
    )
  }

  get(headers: Call['headers'] = {}): Promise<Answer> {
    return call(this.port, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': this.id, ...headers },
    })
  }

  delete(headers: Call['headers'] = {}): Promise<Answer> {
    return call(this.port, { method: 'DELETE', headers: { 'mcp-session-id': this.id, ...headers } })
  }
}

export const toolCall = (
  id: unknown,
  name: string,
  args: Record<string, unknown> = {},
  meta?: Record<string, unknown>,
): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
})

/** A promise with its handles outside, for handlers that wait until a test says go. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

export interface Rig {
  server: Server
  serving: HttpServing
  port: number
  /** Opened by the test; the tool `wait` returns after that. */
  go: { opened: Promise<void>; open: () => void }
  /** Resolved when the tool `wait` has begun. */
  waiting: { opened: Promise<void>; open: () => void }
}

const serving = new Set<HttpServing>()

/** To be called after each test. */
export async function stopAll(): Promise<void> {
  for (const one of serving) await one.close({ drain: 0 })
  serving.clear()
}

export async function serve(options: ServeHttpOptions = {}, serverOptions: ServerOptions = {}): Promise<Rig> {
  const go = gate()
  const waiting = gate()
  const server = createServer({ name: 'served', version: '1' }, { onError: () => {}, ...serverOptions }).add(
    tool('now', { description: 'Answers at once' }, () => 'here'),
    tool('soon', { description: 'Answers a moment later' }, async () => 'there'),
    tool(
      'echo',
      {
        description: 'Gives back',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      ({ text }) => String(text),
    ),
    tool('report', { description: 'Reports progress' }, async (_, ctx) => {
      ctx.progress(1, 2)
      ctx.progress(2, 2)
      return 'reported'
    }),
    tool('wait', { description: 'Waits for the test' }, async (_, ctx) => {
      waiting.open()
      await Promise.race([go.opened, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
      ctx.progress(9)
      return 'waited'
    }),
    tool('poll', { description: 'Lets the client come back' }, async (_, ctx) => {
      ctx.progress(1)
      ctx.poll(70)
      waiting.open()
      await go.opened
      ctx.progress(2)
      return 'polled'
    }),
    tool('ask', { description: 'Asks for roots' }, async (_, ctx) => JSON.stringify(await ctx.roots())),
  )
  const one = await serveHttp(server, { port: 0, ...options })
  serving.add(one)
  return { server, serving: one, port: one.port, go, waiting }
}

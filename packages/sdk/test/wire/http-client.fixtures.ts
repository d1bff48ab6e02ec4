/** Hand-written HTTP servers that do what a test says, and an ear at the near end of a link. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Link, LinkEvents, RequestId } from '../../src/jsonrpc/index.ts'
import { nodeCall } from '../../src/node/http/client-call.ts'
import { Session, type SessionOptions } from '../../src/session/index.ts'
import type { HttpLinkOptions, LinkClock } from '../../src/transport/index.ts'

/** The two ways to make requests; everything must hold for both. */
export const calls: [string, Pick<HttpLinkOptions, 'call'>][] = [
  ['fetch', {}],
  ['node:http', { call: nodeCall }],
]

export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  message: { id?: RequestId; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown }
}

export type Handler = (seen: Seen, response: ServerResponse, index: number) => unknown

export interface Scripted {
  url: string
  origin: string
  seen: Seen[]
  /** Resolves with the first request that fits, now or later. */
  request(fits: (seen: Seen) => boolean): Promise<Seen>
  /** Connections with a response that has not ended. */
  readonly busy: number
  idle(): Promise<void>
  close(): Promise<void>
}

const open: Scripted[] = []

export async function closeServers(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server.close()))
}

export async function scripted(handler: Handler, port = 0): Promise<Scripted> {
  const seen: Seen[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  const wake = () => {
    for (const check of [...waiting]) check()
  }
  const until = <T>(look: () => T | undefined | false): Promise<T> =>
    new Promise((resolve) => {
      const check = () => {
        const found = look()
        if (found === undefined || found === false) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  const server = createServer(async (request, response) => {
    responses.add(response)
    response.on('close', () => {
      responses.delete(response)
      wake()
    })
    let body = ''
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk
    } catch {
      return
    }
    const { method = '', url = '' } = request
    const one: Seen = {
      method,
      path: url,
      headers: request.headers,
      body,
      message: body === '' ? {} : JSON.parse(body),
    }
    seen.push(one)
    await handler(one, response, seen.length - 1)
    wake()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made: Scripted = {
    url: `${origin}/mcp`,
    origin,
    seen,
    request: (fits) => until(() => seen.find(fits)),
    get busy() {
      return responses.size
    },
    idle: async () => {
      await until(() => responses.size === 0)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  open.push(made)
  return made
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export function events(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  response.flushHeaders()
}

export const answer = (id: RequestId | undefined, result: unknown = {}) => ({ jsonrpc: '2.0', id, result })
export const data = (message: unknown, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`

/** Answers the handshake, accepts notifications, offers no stream; the rest is the test's. */
export function session(rest: Handler, version = '2025-11-25'): Handler {
  return (seen, response, index) => {
    const { id, method } = seen.message
    if (seen.method === 'POST' && method === 'initialize') {
      const result = {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'scripted', version: '1' },
      }
      return json(response, answer(id, result), 200, { 'mcp-session-id': 'session-1' })
    }
    if (seen.method === 'POST' && id === undefined) return void response.writeHead(202).end()
    if (seen.method === 'DELETE') return void response.writeHead(204).end()
    return rest(seen, response, index)
  }
}

export const noStream: Handler = (_, response) => void response.writeHead(405).end()

/** Everything a link says, with promises for what it will say. */
export class Ear implements LinkEvents {
  readonly maxBytes: number
  readonly frames: Record<string, unknown>[] = []
  readonly failures: {
    request: RequestId | undefined
    error: Error & { kind?: string; data?: Record<string, unknown> }
  }[] = []
  ended: { reason: (Error & { kind?: string }) | undefined } | undefined
  readonly #waiting = new Set<() => void>()

  constructor(link: Link, maxBytes = 100_000) {
    this.maxBytes = maxBytes
    link.open(this)
  }

  frame(text: string): void {
    try {
      this.frames.push(JSON.parse(text))
    } catch {
      this.frames.push({ text })
    }
    this.#wake()
  }
  failed(request: RequestId | undefined, error: Error): void {
    this.failures.push({ request, error })
    this.#wake()
  }
  closed(reason?: Error): void {
    if (this.ended !== undefined) throw new Error('closed twice')
    this.ended = { reason }
    this.#wake()
  }

  until<T>(look: () => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = look()
        if (found === undefined || found === false) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
  answer(id: RequestId): Promise<Record<string, unknown>> {
    return this.until(() => this.frames.find((frame) => frame['id'] === id && frame['method'] === undefined))
  }
  failure(id?: RequestId): Promise<Error & { kind?: string; data?: Record<string, unknown> }> {
    return this.until(() => this.failures.find(({ request }) => request === id)?.error)
  }
  end(): Promise<{ reason: (Error & { kind?: string }) | undefined }> {
    return this.until(() => this.ended)
  }
  #wake(): void {
    for (const check of [...this.#waiting]) check()
  }
}

export const request = (id: RequestId, method = 'tools/list', params?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
export const notification = (method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })

/** A client's session whose handshake is complete, without anything above it. */
export async function talk(link: Link, options: Partial<SessionOptions> = {}): Promise<Session> {
  const endpoint = {
    introduce: () => ({ info: { name: 'test', version: '1' }, capabilities: {} }),
    answer: () => ({}),
  }
  const opened = new Session({ role: 'client', link, endpoint, keepAlive: false, ...options })
  await opened.initialise()
  return opened
}

interface Wait {
  readonly ms: number
  run(): void
}

/** Time stands still: the test sees what is waited for, and lets it happen. */
export class HandClock implements LinkClock {
  readonly waits = new Set<Wait>()
  readonly #waiting = new Set<() => void>()

  after(ms: number, task: () => void): () => void {
    const wait: Wait = {
      ms,
      run: () => {
        this.waits.delete(wait)
        task()
      },
    }
    this.waits.add(wait)
    for (const check of [...this.#waiting]) check()
    return () => this.waits.delete(wait)
  }

  /** The next wait that fits, as soon as somebody waits so. */
  wait(fits: (ms: number) => boolean): Promise<Wait> {
    return new Promise((resolve) => {
      const check = () => {
        const found = [...this.waits].find(({ ms }) => fits(ms))
        if (found === undefined) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}

/** Requests of the stateless era as a client would post them, and a server that tells what became of its calls. */
import { type HttpServing, type ServeHttpOptions, serveHttp } from '../../src/node/index.ts'
import { createServer, prompt, resource, type Server, type ServerOptions, tool } from '../../src/server.ts'
import { type Answer, type Call, call, Events, gate, start } from './http-server.fixtures.ts'

export const VERSION = '2026-07-28'

const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

export interface Asking {
  id?: unknown
  meta?: Record<string, unknown>
  /** `undefined` leaves one out. */
  headers?: Call['headers']
}

export function meta(more: Record<string, unknown> = {}): Record<string, unknown> {
  const own = { protocolVersion: VERSION, clientCapabilities: {}, clientInfo: { name: 'bare', version: '1' } }
  return {
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value])),
    ...more,
  }
}

/** Body and headers of a request. */
export function posting(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, meta: more, headers }: Asking = {},
): Call & { headers: object } {
  const name = params[NAMED[method] ?? '']
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta(more) } },
    headers: {
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...headers,
    },
  }
}

export function ask(port: number, method: string, params?: Record<string, unknown>, asking?: Asking): Promise<Answer> {
  return call(port, posting(method, params, asking))
}

/** The answer as it comes, for what may become a stream. */
export async function stream(
  port: number,
  method: string,
  params?: Record<string, unknown>,
  asking?: Asking,
): Promise<Events> {
  return new Events(await start(port, posting(method, params, asking)))
}

export interface StatelessRig {
  server: Server
  serving: HttpServing
  port: number
  /** What happened to the calls of the tool `wait`. */
  told: Told
  go: ReturnType<typeof gate>
}

/** Collects words, and lets tests wait for them. */
export class Told {
  readonly words: string[] = []
  readonly #wakers = new Set<() => void>()

  say(word: string): void {
    this.words.push(word)
    for (const wake of this.#wakers) wake()
    this.#wakers.clear()
  }

  async until(word: string, times = 1): Promise<void> {
    while (this.words.filter((said) => said === word).length < times)
      await new Promise<void>((resolve) => this.#wakers.add(resolve))
  }
}

const running = new Set<HttpServing>()

/** To be called after each test. */
export async function stopStateless(): Promise<void> {
  for (const one of running) await one.close({ drain: 0 })
  running.clear()
}

export function tellingServer(told: Told, go: ReturnType<typeof gate>, options: ServerOptions = {}): Server {
  return createServer({ name: 'served', version: '1' }, { onError: () => {}, ...options }).add(
    tool('now', { description: 'Answers at once' }, () => 'here'),
    tool(
      'echo',
      {
        description: 'Gives back',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      async ({ text }) => String(text),
    ),
    tool(
      'near',
      {
        description: 'Mirrors a header',
        input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as never,
      },
      () => 'near',
    ),
    tool('report', { description: 'Reports progress' }, async (_, ctx) => {
      ctx.progress(1, 2)
      ctx.progress(2, 2)
      return 'reported'
    }),
    tool('wait', { description: 'Waits for the test' }, async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => told.say('aborted'))
      told.say('begun')
      await Promise.race([go.opened, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
      return 'waited'
    }),
    tool('announce', { description: 'Reports, then waits for the test' }, async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => told.say('aborted'))
      ctx.progress(1)
      await Promise.race([go.opened, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
      return 'announced'
    }),
    prompt('greet', { description: 'Greets' }, () => 'Hello'),
    resource('test://one', { name: 'one' }, () => 'the text'),
  ) as Server
}

export async function serveStateless(
  options: ServeHttpOptions = {},
  serverOptions: ServerOptions = {},
): Promise<StatelessRig> {
  const told = new Told()
  const go = gate()
  const server = tellingServer(told, go, serverOptions)
  const serving = await serveHttp(server, { port: 0, ...options })
  running.add(serving)
  return { server, serving, port: serving.port, told, go }
}

/** Questions over HTTP, where each request has a stream of its own and questions say to which they belong. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ProtocolVersion, versions } from 'parley-mcp'
import { type Client, type ConnectOptions, connect, httpLink } from 'parley-mcp/client'
import { type Body, systemClock } from 'parley-mcp/engine'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ServerConfig, serverDefaults } from '../../config/index.ts'
import { silentLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { envelope, scripted, text, until } from './peers.fixtures.ts'
import { ServerAddress } from './server-address.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

const NAME = { type: 'object', properties: { name: { type: 'string' } } } as const
const isStateless = (version: ProtocolVersion): boolean => version === '2026-07-28'

/** Elicits a name with the given text. */
function asking(version: ProtocolVersion) {
  return createServer({ name: 'asking', version: '1' }, { versions: [version] }).add(
    tool(
      'ask',
      { input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const },
      async ({ what }, ctx) => {
        const answer = await ctx.elicit('who', what, NAME)
        return answer.action === 'accept' ? `${what} ${String(answer.content.name)}` : answer.action
      },
    ),
  )
}

/** A gateway at an address, in front of a server at another. */
async function gatewayTo(url: string, more: Partial<ServerConfig> = {}): Promise<string> {
  const config: ServerConfig = {
    ...serverDefaults('far', { kind: 'remote', url, transport: 'streamable-http', headers: {} }),
    ...more,
  }
  return served(
    new ServerAddress(new Upstream(config, { log: silentLog, translation: 'lenient', clock: systemClock }), {
      translation: 'lenient',
    }),
  )
}

async function served(bridge: ServerAddress): Promise<string> {
  open.push(() => bridge.close())
  const serving: HttpServing = await serveHttp(bridge, { port: 0, principal: ({ header }) => header('x-user') })
  open.push(() => serving.close({ drain: 0 }))
  return serving.url
}

async function farServer(server: Parameters<typeof serveHttp>[0]): Promise<string> {
  const serving = await serveHttp(server, { port: 0 })
  open.push(() => serving.close({ drain: 0 }))
  return serving.url
}

async function clientOf(
  url: string,
  options: ConnectOptions,
  link: Parameters<typeof httpLink>[1] = {},
): Promise<Client> {
  const client = await connect(() => httpLink(url, link), options)
  open.push(() => client.close())
  return client
}

/** One request of the stateless era, as it goes over the wire; gives the last message that came. */
async function post(
  url: string,
  method: string,
  params: Body,
  { user, signal }: { user?: string; signal?: AbortSignal } = {},
): Promise<{ result?: Body; error?: Body }> {
  const name = params['name'] ?? params['uri']
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...(user !== undefined && { 'x-user': user }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: envelope({ elicitation: { form: {} } }) },
    }),
    ...(signal && { signal }),
  })
  const words = await response.text()
  const json = words.startsWith('{')
    ? words
    : words
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice(6)
  return JSON.parse(json ?? '{}')
}

const eliciting = versions.filter((version) => version >= '2025-06-18')

it.each(eliciting)(
  'five calls at once of clients of any version are each asked what is theirs by a server of %s',
  async (server) => {
    const url = await gatewayTo(await farServer(asking(server)))
    for (const version of eliciting) {
      const asked: string[] = []
      const client = await clientOf(url, {
        version,
        elicit: async ({ message }) => {
          asked.push(message)
          return { action: 'accept', content: { name: message.toUpperCase() } }
        },
      })
      const words = ['a', 'b', 'c', 'd', 'e']
      const outcomes = await Promise.all(words.map((what) => client.call('ask', { what })))
      expect(outcomes.map((outcome) => outcome.text)).toEqual(['a A', 'b B', 'c C', 'd D', 'e E'])
      expect(asked.sort()).toEqual(words)
    }
  },
)

describe('questions over HTTP', () => {
  it('a state that was given to somebody else is refused, and its owner is not harmed', async () => {
    const url = await gatewayTo(await farServer(asking('2025-11-25')))
    const call = { name: 'ask', arguments: { what: 'who' } }
    const { result } = await post(url, 'tools/call', call, { user: 'ann' })
    const [key] = Object.keys(result?.['inputRequests'] as Body)
    const retry = {
      ...call,
      requestState: result?.['requestState'],
      inputResponses: { [key as string]: { action: 'accept', content: { name: 'Ann' } } },
    }
    for (const user of ['bea', undefined]) {
      const { error } = await post(url, 'tools/call', retry, user === undefined ? {} : { user })
      expect(error).toMatchObject({ code: -32602 })
    }
    expect((await post(url, 'tools/call', retry, { user: 'ann' })).result).toMatchObject({
      content: [{ text: 'who Ann' }],
    })
  })

  it.each(['streamable-http', 'sse'] as const)(
    'a server over %s whose session was for one request hears that it was cancelled, not only of the end',
    async (transport) => {
      const why: string[] = []
      const far = scripted({
        version: '2024-11-05',
        capabilities: { tools: {} },
        answer: (inbound) => {
          if (inbound.method === 'tools/list') return { tools: [] }
          inbound.onCancel((reason) => why.push(reason))
          return new Promise(() => {})
        },
      })
      const serving = await serveHttp(far, { port: 0, sse: true })
      open.push(() => serving.close({ drain: 0 }))
      const address = transport === 'sse' ? new URL('/sse', serving.url).href : serving.url
      const url = await gatewayTo(address, {
        session: 'request',
        target: { kind: 'remote', url: address, transport, headers: {} },
      })
      const leaving = new AbortController()
      const call = post(url, 'tools/call', { name: 'wait', arguments: {} }, { signal: leaving.signal })
      await until(() => expect(far.asked.map(({ method }) => method)).toContain('tools/call'))
      leaving.abort()
      await expect(call).rejects.toThrow()
      await until(() => expect(why).toHaveLength(1))
      expect(why).not.toContain('The session has ended')
    },
  )

  it('a client that hangs up has cancelled its call', async () => {
    let begun: () => void = () => {}
    const working = new Promise<void>((resolve) => {
      begun = resolve
    })
    let cancelled = false
    const server = createServer({ name: 'slow', version: '1' }, { versions: ['2025-11-25'] }).add(
      tool('slow', {}, (_, ctx) => {
        ctx.signal.addEventListener('abort', () => {
          cancelled = true
        })
        begun()
        return new Promise<string>(() => {})
      }),
    )
    const url = await gatewayTo(await farServer(server))
    const stop = new AbortController()
    const called = post(url, 'tools/call', { name: 'slow', arguments: {} }, { signal: stop.signal })
    await working
    stop.abort()
    await expect(called).rejects.toThrow()
    await until(() => expect(cancelled).toBe(true))
  })

  it('a server that gives no session id is shared by everybody, one that does is not (D-53)', async () => {
    for (const stateless of [true, false]) {
      const far = await oldServer({ stateless })
      const url = await gatewayTo(far.url)
      for (let count = 0; count < 3; count++)
        expect((await post(url, 'tools/call', { name: 'any', arguments: {} })).error).toBeUndefined()
      // The gateway's own, and the one for all; or one for each and one to spare.
      await until(() => expect(far.sessions()).toBe(stateless ? 2 : 5))
    }
  })

  it('a server that has forgotten its sessions is called in a new one, also where one was opened ahead', async () => {
    const far = await oldServer({ stateless: false })
    const url = await gatewayTo(far.url)
    const call = () => post(url, 'tools/call', { name: 'any', arguments: {} })
    expect((await call()).error).toBeUndefined()
    // The gateway's own, the one that was used, and the next.
    await until(() => expect(far.sessions()).toBe(3))
    far.forget()
    expect((await call()).error).toBeUndefined()
    expect((await call()).error).toBeUndefined()
    expect(far.calls()).toBe(3)
  })

  it('the gateway polls a server without a notification stream while a client listens', async () => {
    const far = await oldServer({ stateless: true })
    const url = await gatewayTo(far.url, { poll: 30 })
    const client = await clientOf(url, { version: '2026-07-28' })
    const changed = vi.fn()
    client.onListChanged('tools', changed)
    await until(() => expect(far.lists()).toBeGreaterThan(1))
    far.tools.push('two')
    await until(() => expect(changed).toHaveBeenCalled())
  })
})

it.each(versions.filter((version) => !isStateless(version) && version !== '2024-11-05'))(
  'a client of %s without a stream for questions gets them on one of its requests',
  async (version) => {
    const heard: unknown[] = []
    let ask: () => void = () => {}
    const server = scripted({
      version,
      answer: async (inbound) => {
        if (inbound.params['name'] === 'quiet') {
          await new Promise<void>((resolve) => {
            ask = resolve
          })
          return text('quiet')
        }
        heard.push(await inbound.request('roots/list'))
        ask()
        return text('asked')
      },
    })
    const rig: BridgeRig = bridgeTo(server, version)
    const url = await served(rig.address)
    const client = await clientOf(url, { version, roots: ['file:///one'] }, { listen: false })
    const quiet = client.call('quiet')
    await until(() => expect(server.asked).toHaveLength(1))
    expect((await client.call('ask')).text).toBe('asked')
    expect((await quiet).text).toBe('quiet')
    expect(heard).toEqual([{ roots: [{ uri: 'file:///one' }] }])
  },
)

interface OldServer {
  readonly url: string
  readonly tools: string[]
  sessions(): number
  lists(): number
  calls(): number
  /** From now on it knows none of its sessions. */
  forget(): void
}

/** A server of 2025-06-18 that answers POST with JSON and knows nothing else. */
async function oldServer({ stateless }: { stateless: boolean }): Promise<OldServer> {
  const tools = ['one']
  let sessions = 0
  let lists = 0
  let calls = 0
  let forgotten = 0
  const answers: Readonly<Record<string, () => Body>> = {
    initialize: () => {
      sessions++
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'old', version: '1' },
      }
    },
    'tools/list': () => {
      lists++
      return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }
    },
    'tools/call': () => {
      calls++
      return text('called')
    },
    ping: () => ({}),
  }
  const server: HttpServer = createHttpServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (Number(request.headers['mcp-session-id']?.slice(1)) <= forgotten) return void response.writeHead(404).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      if (id === undefined) return void response.writeHead(202).end()
      const answer = answers[method]
      const message =
        answer === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result: answer() }
      const session = method === 'initialize' && !stateless ? { 'mcp-session-id': `s${sessions}` } : {}
      response
        .writeHead(200, { 'content-type': 'application/json', ...session })
        .end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(resolve)
      }),
  )
  const forget = (): void => {
    forgotten = sessions
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return { url, tools, sessions: () => sessions, lists: () => lists, calls: () => calls, forget }
}

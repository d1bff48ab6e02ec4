/** C: `parley inspect` says which conversation a client has, and why. */
import { expect, it } from 'vitest'
import { parseConfig } from '../../config/index.ts'
import { Gateway } from '../../gateway/index.ts'
import { parley, plainServer } from '../cli.fixtures.ts'
import { conversationOf, gatewayServers } from './conversation.ts'

it.each([
  ['stateless', 'http', false, /^none: each request/],
  ['handshake', 'stdio', true, /^one process/],
  ['handshake', 'websocket', true, /^one for each connection/],
  ['handshake', 'http', true, /^a session of its own/],
  ['handshake', 'http', false, /^none: the server gives no session id/],
])('with a server of the %s era over %s (remembered: %s)', (era, transport, remembered, words) => {
  expect(conversationOf({ era, transport, remembered })).toMatch(words)
})

const CONVERSATIONS = { withSession: 'session', withoutSession: 'local-user' }
const READY = {
  status: 'ready',
  servers: {
    notes: { state: 'running', conversations: CONVERSATIONS },
    'a b': { state: 'idle', conversations: CONVERSATIONS },
    cold: {},
  },
}

async function asked(url: string, body: unknown = READY): Promise<[string[], unknown]> {
  const urls: string[] = []
  const get = async (at: unknown): Promise<Response> => {
    urls.push(String(at))
    return new Response(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const behind = await gatewayServers(url, new AbortController().signal, get as typeof fetch)
  return [urls, behind?.map(({ server }) => server) ?? null]
}

it.each([
  ['http://127.0.0.1:4000/mcp', 'http://127.0.0.1:4000/readyz', ['notes', 'a b']],
  ['wss://mcp.example.com/tools/ws', 'https://mcp.example.com/tools/readyz', ['notes', 'a b']],
  ['http://127.0.0.1:4000/servers/notes/sse', 'http://127.0.0.1:4000/readyz', ['notes']],
  ['http://127.0.0.1:4000/servers/a%20b/mcp', 'http://127.0.0.1:4000/readyz', ['a b']],
  ['http://127.0.0.1:4000/servers/cold/mcp', 'http://127.0.0.1:4000/readyz', null],
])('%s may be an address of a gateway', async (url, readiness, servers) => {
  expect(await asked(url)).toEqual([[readiness], servers])
})

it.each([
  'http://127.0.0.1:4000/',
  'tcp://127.0.0.1:4000',
  'http://127.0.0.1:4000/other',
  'http://127.0.0.1:4000/servers/%E0/mcp',
])('%s is none', async (url) => {
  expect(await asked(url)).toEqual([[], null])
})

it.each(['no JSON', '[]', {}, { servers: [] }, { servers: { a: { conversations: { withSession: 'x' } } } }])(
  'an answer like %j tells nothing',
  async (body) => {
    expect((await asked('http://127.0.0.1:4000/mcp', body))[1]).toBeNull()
  },
)

it('is shown of a gateway for all servers, for one of them, and as JSON', async () => {
  const mcpServers = { plain: { command: process.execPath, args: [plainServer] } }
  const { config } = parseConfig(JSON.stringify({ mcpServers, gateway: { port: 0 } }), { file: 'parley.json', env: {} })
  const gateway = new Gateway(config)
  const { url } = await gateway.start()
  try {
    await gateway.reach()
    const { out } = await parley(['inspect', `${url}/mcp`, '--fast'])
    expect(out).toContain('conversations with the servers behind it')
    expect(out).toMatch(/plain +client with a session: one of its own\n +client without: the one of the local user/)
    const report = JSON.parse((await parley(['inspect', `${url}/servers/plain/mcp`, '--fast', '--json'])).out)
    expect(report.behind).toEqual([{ server: 'plain', withSession: 'session', withoutSession: 'local-user' }])
  } finally {
    await gateway.close(0)
  }
})

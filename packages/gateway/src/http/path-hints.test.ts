import { once } from 'node:events'
import { get } from 'node:http'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { GatewaySite, type GatewaySiteOptions } from './index.ts'

const options: GatewaySiteOptions = {
  host: '127.0.0.1',
  port: 0,
  readiness: () => ({ ready: true, servers: [] }),
  metricsText: () => '',
}
const server = () => createServer({ name: 'any', version: '1' }).add(tool('who', {}, () => 'any'))

let site: GatewaySite
let url: string
beforeEach(async () => {
  site = new GatewaySite(options)
  for (const name of ['notes', 'weather']) await site.addServer(name, server())
  await site.setAggregate(server())
  ;({ url } = await site.listen())
})
afterEach(() => site.close({ drain: 0 }))

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const see = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers: { ...BROWSER, ...headers } })
const post = (path: string) =>
  fetch(`${url}${path}`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
const messageOf = async (answer: Response) => ((await answer.json()) as { error: { message: string } }).error.message

/** By a name that `fetch` would not send. */
async function textFor(port: string, host: string, scheme = 'http'): Promise<string> {
  const asked = get({
    port,
    host: '127.0.0.1',
    path: '/mcp',
    headers: { ...BROWSER, host, 'x-forwarded-proto': scheme },
    agent: false,
  })
  const [response] = await once(asked, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}

const ENDPOINTS = 'Nothing is served at this path; the endpoints are /servers/notes/mcp, /servers/weather/mcp, /mcp'

describe('G paths that are nearly right', () => {
  it.each([
    ['/mcp/', '/mcp'],
    ['/MCP', '/mcp'],
    ['/mpc', '/mcp'],
    ['/api/mcp', '/mcp'],
    ['/servers/mcp', '/mcp'],
    ['/sse/', '/sse'],
    ['/messages/', '/messages'],
    ['/mcp/sse', '/sse'],
    ['/servers/notes', '/servers/notes/mcp'],
    ['/servers/notes/', '/servers/notes/mcp'],
    ['/servers/notes/mcp/', '/servers/notes/mcp'],
    ['/servers/noets/mcp', '/servers/notes/mcp'],
    ['/servers/Weather/sse', '/servers/weather/sse'],
    ['/server/notes/mcp', '/servers/notes/mcp'],
    ['/notes/mcp', '/servers/notes/mcp'],
    ['/mcp/notes', '/servers/notes/mcp'],
    ['/notes', '/servers/notes/mcp'],
  ])('%s points clients and people to %s', async (wrong, right) => {
    const asked = await post(wrong)
    expect([asked.status, await asked.json()]).toEqual([
      404,
      { jsonrpc: '2.0', error: { code: -32600, message: `${ENDPOINTS}; did you mean ${right}?` } },
    ])
    const seen = await see(wrong)
    expect([seen.status, seen.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(await seen.text()).toMatch(new RegExp(`^Nothing is served at this path; did you mean ${right}\\?\n`))
  })

  it.each([
    '/servers',
    '/servers/',
    '/servers/nope',
    '/servers/nope/mcp',
    '/elsewhere',
    '/servers/%3Cscript%3E/mcp',
    `/servers/${'x'.repeat(100)}/mcp`,
  ])('nothing is guessed from %s', async (path) => {
    const asked = await post(path)
    expect([asked.status, await messageOf(asked)]).toEqual([404, ENDPOINTS])
    const text = await (await see(path)).text()
    expect(text).toMatch(/^Nothing is served at this path\.\n/)
    expect(text).toContain(`  ${url}/servers/notes/mcp\n`)
    expect(text).not.toMatch(/script|xxx|nope/)
  })

  it('a server that is named like a path is meant below /servers only', async () => {
    await site.addServer('mcp', server())
    expect(await messageOf(await post('/servers/mcp/'))).toContain('did you mean /servers/mcp/mcp?')
    await site.addServer('m', server())
    expect(await messageOf(await post('/mcp/'))).toContain('did you mean /mcp?')
  })

  it('tell strangers nothing', async () => {
    for (const path of ['/servers/notes/', '/mcp']) {
      const asked = await see(path, { origin: 'https://elsewhere.example' })
      expect([asked.status, await asked.text()]).toEqual([403, expect.not.stringContaining('/servers/')])
    }
  })

  it('are gone with their server', async () => {
    await site.removeServer('notes', { drain: 0 })
    expect(await (await see('/servers/notes/')).text()).not.toContain('notes')
    await site.addServer('notes', server())
    expect(await (await see('/servers/notes/')).text()).toContain('did you mean')
  })
})

describe('G people who come to an address of clients', () => {
  it('learn what it is, how a client is told of it, and what else there is', async () => {
    const seen = await see('/servers/notes/mcp')
    expect([seen.status, seen.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(await seen.text()).toBe(`This address is for MCP clients: the server notes, over Streamable HTTP.

In the configuration of a client:
  {"mcpServers":{"notes":{"url":"${url}/servers/notes/mcp"}}}

All servers as one:
  ${url}/mcp
One server alone:
  ${url}/servers/notes/mcp
  ${url}/servers/weather/mcp

The page for people: ${url}/
`)
  })

  it.each([
    ['/mcp', 'all servers as one, over Streamable HTTP', '/mcp'],
    ['/messages', 'all servers as one, over HTTP+SSE', '/sse'],
    ['/servers/weather/messages', 'the server weather, over HTTP+SSE', '/servers/weather/sse'],
    ['/ws', 'all servers as one, over WebSocket', '/mcp'],
    ['/servers/notes/ws', 'the server notes, over WebSocket', '/servers/notes/mcp'],
  ])('%s is for %s', async (path, what, configured) => {
    const text = await (await see(path)).text()
    expect(text).toContain(`This address is for MCP clients: ${what}.\n`)
    expect(text).toContain(`"url":"${url}${configured}"`)
  })

  it('are shown a few of many servers', async () => {
    for (let n = 0; n < 20; n++) await site.addServer(`extra-${n}`, server())
    const text = await (await see('/mcp')).text()
    expect(text.match(/\/servers\//g)).toHaveLength(10)
    expect(text).toContain('  and 12 more\n')
  })

  it('know the address by the name they came by, unless it is none', async () => {
    const open = new GatewaySite({ ...options, allowedHosts: ['any'] })
    await open.setAggregate(server())
    try {
      url = (await open.listen()).url
      const { port } = new URL(url)
      expect(await textFor(port, 'mcp.example.com:81', 'https')).toContain('"url":"https://mcp.example.com:81/mcp"')
      for (const odd of ['<script>', 'a"b', 'x'.repeat(300)]) {
        const text = await textFor(port, odd)
        expect(text).toContain('"url":"http://localhost/mcp"')
        expect(text).not.toContain(odd)
      }
    } finally {
      await open.close({ drain: 0 })
    }
  })
})

describe('G clients that come to the address of another transport', () => {
  const events = { accept: 'text/event-stream' }

  it.each([
    ['GET', '/mcp', 400, '; clients of HTTP+SSE connect to /sse'],
    ['GET', '/servers/notes/mcp', 400, '; clients of HTTP+SSE connect to /servers/notes/sse'],
    ['POST', '/sse', 405, '; clients of Streamable HTTP connect to /mcp'],
    ['POST', '/messages', 400, '; clients of HTTP+SSE connect to /sse, those of Streamable HTTP to /mcp'],
    ['POST', '/servers/notes/ws', 426, '; clients of Streamable HTTP connect to /servers/notes/mcp'],
  ])('%s %s (%i)%s', async (method, path, status, words) => {
    const answer = method === 'POST' ? await post(path) : await fetch(`${url}${path}`, { headers: events })
    expect([answer.status, await messageOf(answer)]).toEqual([
      status,
      expect.stringMatching(new RegExp(`.${words.replaceAll('+', '\\+')}$`)),
    ])
  })

  it('are told no more where that is not the matter', async () => {
    for (const method of ['PUT', 'DELETE'])
      expect(await messageOf(await fetch(`${url}/mcp`, { method }))).not.toContain('connect to')
  })

  it.each([
    ['/mcp', '; did you mean /ws?'],
    ['/', '; did you mean /ws?'],
    ['/servers/notes/mcp', '; did you mean /servers/notes/ws?'],
    ['/servers/noets/ws', '; did you mean /servers/notes/ws?'],
    ['/servers/nope/ws', ''],
  ])('a WebSocket at %s%s', async (path, words) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, 'mcp')
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    socket.terminate()
    expect(response.statusCode).toBe(404)
    const message = `Nothing is served at this path; WebSockets are taken at /servers/notes/ws, /servers/weather/ws, /ws${words}`
    expect(JSON.parse(text).error.message).toBe(message)
  })

  it('the page for people sends them to their own', async () => {
    const words =
      'This page is for people; MCP clients connect to /mcp, those of HTTP+SSE to /sse, those of WebSocket to /ws\n'
    const posted = await post('/')
    expect([posted.status, posted.headers.get('allow'), await posted.text()]).toEqual([405, 'GET, HEAD', words])
    const listening = await fetch(`${url}/`, { headers: events })
    expect([listening.status, await listening.text()]).toEqual([406, words])
  })
})

import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'parley-mcp/client'
import { webSocketTo } from 'parley-mcp/node'
import { createServer, type Servable, tool } from 'parley-mcp/server'
import { fakeClock } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { GatewaySite, type GatewaySiteOptions, type Readiness } from './index.ts'
import { siteOptions } from './site-options.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const READY: Readiness = {
  ready: true,
  servers: [
    { name: 'files', state: 'running', ready: true },
    { name: 'search', state: 'failed', ready: false, detail: 'exit code 1 <script>' },
  ],
}

function gateway(options: Partial<GatewaySiteOptions> = {}): GatewaySite {
  const site = new GatewaySite({
    host: '127.0.0.1',
    port: 0,
    readiness: () => READY,
    metricsText: () => 'parley_up 1\n',
    ...options,
  })
  closers.push(() => site.close({ drain: 0 }))
  return site
}

interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

function gate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** A server that says its own name, at once or when it may. */
function named(name: string, go?: Gate, begun?: Gate): Servable {
  return createServer({ name, version: '1' }).add(
    tool('who', {}, () => name),
    tool('wait', {}, async () => {
      begun?.open()
      await go?.opened
      return name
    }),
  )
}

interface Plain {
  status: number
  headers: Record<string, unknown>
  text: string
}

function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
  host = '127.0.0.1',
): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host, path, headers, method, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

it('shows where the program lies to this machine alone', async () => {
  const program = ['node', '/srv/parley/cli.js']
  const page = async (options: Partial<GatewaySiteOptions>): Promise<string> => {
    const { port } = await gateway({ program, ...options }).listen()
    return (await ask(port, '/')).text
  }
  expect(await page({})).toContain('/srv/parley/cli.js')
  expect(await page({ allowedHosts: ['mcp.example.com'] })).not.toContain('/srv/parley')
})

async function who(target: string): Promise<string> {
  const client = await connect(target.startsWith('ws') ? await webSocketTo(target) : target, { keepAlive: false })
  try {
    const { content } = await client.call('who')
    return (content[0] as { text: string }).text
  } finally {
    await client.close()
  }
}

async function running() {
  const site = gateway()
  await site.setAggregate(named('all'))
  await site.addServer('files', named('files'))
  const { url, port } = await site.listen()
  await site.addServer('search', named('search'))
  return { site, url, port }
}

describe('F9 the port of the gateway', () => {
  it.each([
    ['/mcp', 'all'],
    ['/sse', 'all'],
    ['/ws', 'all'],
    ['/servers/files/mcp', 'files'],
    ['/servers/files/sse', 'files'],
    ['/servers/files/ws', 'files'],
    ['/servers/search/mcp', 'search'],
    ['/servers/search/sse', 'search'],
    ['/servers/search/ws', 'search'],
  ])('%s leads to %s', async (path, name) => {
    const { url } = await running()
    expect(await who(`${path.endsWith('/ws') ? url.replace('http', 'ws') : url}${path}`)).toBe(name)
  })

  it('says what there is at any other path', async () => {
    const { port } = await running()
    const { status, text } = await ask(port, '/servers/nobody/mcp')
    expect(status).toBe(404)
    expect(text).toContain('the endpoints are /mcp, /servers/files/mcp, /servers/search/mcp')
    expect((await ask(port, '/servers/%66iles/mcp')).status).toBe(404)
  })

  it('C-41 is for no other host or origin', async () => {
    const { port } = await running()
    for (const path of ['/', '/metrics', '/mcp', '/servers/files/sse']) {
      expect((await ask(port, path, { host: 'evil.example' })).status).toBe(403)
      expect((await ask(port, path, { origin: 'https://evil.example' })).status).toBe(403)
    }
  })

  it.each(['127.0.0.1', 'localhost'])(
    'C-41 on %s it keeps the names of this machine beside those that are listed',
    async (host) => {
      const { port } = await gateway({ host, allowedHosts: ['gw.test'] }).listen()
      const asked = (name: string): Promise<Plain> => ask(port, '/', { host: name }, 'GET', '', host)
      for (const name of ['gw.test', `gw.test:${port}`, `127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        expect([name, (await asked(name)).status]).toEqual([name, 200])
      }
      for (const name of ['evil.example', `127.0.0.1.evil.example:${port}`])
        expect([name, (await asked(name)).status]).toEqual([name, 403])
    },
  )

  it('C-41 among them is the address it listens on', () => {
    const options = {
      host: '127.0.0.9',
      port: 0,
      allowedHosts: ['gw.test'],
      readiness: () => READY,
      metricsText: () => '',
    }
    expect(siteOptions(options).allowedHosts).toEqual(['gw.test', 'localhost', '127.0.0.1', '[::1]', '127.0.0.9'])
    expect(siteOptions({ ...options, allowedHosts: ['any'] }).allowedHosts).toBe('any')
  })

  it('C-41 where others reach it, only the listed names are its own', async () => {
    const { port } = await gateway({ host: '0.0.0.0', allowedHosts: ['gw.test'] }).listen()
    expect((await ask(port, '/', { host: 'gw.test' })).status).toBe(200)
    expect((await ask(port, '/', { host: `127.0.0.1:${port}` })).status).toBe(403)
  })

  it('L4 loses a server while the other works', async () => {
    const site = gateway()
    const [go, begun] = [gate(), gate()]
    await site.addServer('stays', named('stays', go, begun))
    await site.addServer('leaves', named('leaves'))
    const { url, port } = await site.listen()
    const client = await connect(`${url}/servers/stays/mcp`, { keepAlive: false })
    closers.push(() => client.close())
    const answer = client.call('wait')
    const socket = new WebSocket(`ws://127.0.0.1:${port}/servers/leaves/ws`, 'mcp')
    await Promise.all([begun.opened, once(socket, 'open')])
    await Promise.all([site.removeServer('leaves', { drain: 0 }), once(socket, 'close')])
    for (const path of ['mcp', 'sse', 'messages', 'ws'])
      expect((await ask(port, `/servers/leaves/${path}`)).status).toBe(404)
    go.open()
    expect((await answer).content).toMatchObject([{ text: 'stays' }])
    await site.addServer('leaves', named('again'))
    expect(await who(`${url}/servers/leaves/mcp`)).toBe('again')
  })

  it.each(['mcp', 'sse', 'ws'])(
    'G a name is taken again while its server still works for those it has, by /%s',
    async (way) => {
      const site = gateway()
      const [go, begun] = [gate(), gate()]
      await site.addServer('one', named('old', go, begun))
      const { url } = await site.listen()
      const address = `${way === 'ws' ? url.replace('http', 'ws') : url}/servers/one/${way}`
      const client = await connect(way === 'ws' ? await webSocketTo(address) : address, {
        keepAlive: false,
        versions: ['2025-11-25'],
      })
      closers.push(() => client.close())
      const answer = client.call('wait')
      await begun.opened
      const removed = site.removeServer('one')
      await site.addServer('one', named('new'))
      expect(await who(address)).toBe('new')
      go.open()
      expect((await answer).content).toMatchObject([{ text: 'old' }])
      await removed
      expect(await who(address)).toBe('new')
    },
  )

  it('knows who a client is from the header of the proxy', async () => {
    const seen: unknown[] = []
    const site = gateway({ principalHeader: 'X-Forwarded-User' })
    const inner = named('told')
    await site.setAggregate({
      accept: (link, options) => {
        seen.push(options?.principal)
        return inner.accept(link, options)
      },
    })
    const { port } = await site.listen()
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } }
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-user': 'ann',
    }
    const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await ask(port, '/mcp', headers, 'POST', initialize)
    expect(seen).toEqual(['ann'])
    expect(site.sessions).toBe(1)
    // Nobody in particular, and so nobody's sessions and calls are theirs.
    for (const nobody of ['', ' '])
      await ask(port, '/mcp', { ...headers, 'x-forwarded-user': nobody }, 'POST', initialize)
    expect(seen).toEqual(['ann', undefined, undefined])
  })

  it('ends sessions that nobody has used for as long as it is told', async () => {
    const clock = fakeClock(0)
    const site = gateway({ clock, sessionIdle: 300_000 })
    await site.setAggregate(named('told'))
    const { port } = await site.listen()
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const met = await ask(
      port,
      '/mcp',
      headers,
      'POST',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    )
    const session = {
      ...headers,
      'mcp-session-id': String(met.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    }
    expect(
      (await ask(port, '/mcp', session, 'POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}')).status,
    ).toBe(202)
    await clock.advance(240_000)
    expect(site.sessions).toBe(1)
    await clock.advance(120_000)
    expect(site.sessions).toBe(0)
  })

  it('lets pages of listed origins read', async () => {
    const site = gateway({ allowedOrigins: ['https://app.example'] })
    const { port } = await site.listen()
    expect(
      (await ask(port, '/healthz', { origin: 'https://app.example' })).headers['access-control-allow-origin'],
    ).toBe('https://app.example')
  })
})

describe('what people and monitors ask for', () => {
  it('/healthz says that the process lives, to anybody', async () => {
    const { port } = await running()
    for (const host of [`127.0.0.1:${port}`, '10.0.0.7']) {
      expect(await ask(port, '/healthz', { host })).toMatchObject({
        status: 200,
        text: '{"status":"ok"}',
        headers: { 'content-type': 'application/json' },
      })
    }
    expect(await ask(port, '/healthz', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect(await ask(port, '/healthz', { host: '10.0.0.7' }, 'POST')).toMatchObject({ status: 403 })
    expect(await ask(port, '/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('/readyz says which servers are ready, to those that may know', async () => {
    let readiness = READY
    const { port } = await gateway({ readiness: () => readiness }).listen()
    const first = await ask(port, '/readyz')
    expect(first.status).toBe(200)
    expect(JSON.parse(first.text)).toEqual({
      status: 'ready',
      servers: {
        files: { state: 'running', ready: true },
        search: { state: 'failed', ready: false, detail: 'exit code 1 <script>' },
      },
    })
    readiness = { ready: false, servers: READY.servers }
    expect((await ask(port, '/readyz')).status).toBe(503)
    expect(await ask(port, '/readyz', { host: '10.0.0.7' })).toMatchObject({
      status: 503,
      text: '{"status":"not ready"}',
    })
  })

  it('/metrics is read by addresses and by the names that are set, and by no web page', async () => {
    const { port } = await gateway({ allowedHosts: ['mcp.example.com'], metricsHosts: ['prometheus.svc'] }).listen()
    const statusFor = async (headers: Record<string, string>): Promise<number> =>
      (await ask(port, '/metrics', headers)).status
    for (const host of ['10.0.0.7', '10.0.0.7:4000', '[fd00::7]:4000', 'prometheus.svc', 'Prometheus.svc:4000'])
      expect([host, await statusFor({ host })]).toEqual([host, 200])
    for (const host of ['evil.example', '10.0.0.7.evil.example'])
      expect([host, await statusFor({ host })]).toEqual([host, 403])
    expect(await statusFor({ host: '10.0.0.7', origin: 'https://evil.example' })).toBe(403)
  })

  it.each(['any', '*'])('with %s in allowedHosts every name is allowed', async (word) => {
    const { port } = await gateway({ allowedHosts: [word] }).listen()
    expect((await ask(port, '/', { host: 'some.example' })).status).toBe(200)
  })

  it('/metrics is what Prometheus reads', async () => {
    const { port } = await running()
    const { status, headers, text } = await ask(port, '/metrics')
    expect([status, text]).toEqual([200, 'parley_up 1\n'])
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  })

  it('/ shows the servers and how to reach them, and runs nothing', async () => {
    const { port } = await running()
    const { status, headers, text } = await ask(port, '/', { host: `localhost:${port}` })
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    for (const path of ['/mcp', '/sse', '/servers/files/mcp', '/servers/search/sse'])
      expect(text).toContain(`http://localhost:${port}${path}`)
    expect(text).toContain(`ws://localhost:${port}/servers/files/ws`)
    expect(text).toContain('exit code 1 &lt;script&gt;')
    expect(text).not.toMatch(/<script|\son\w+=/i)
    expect((await ask(port, '/', { 'x-forwarded-proto': 'https' })).text).toContain('wss://')
  })

  it('a page that fails says so to the log only', async () => {
    const told: unknown[] = []
    const site = gateway({
      metricsText: () => {
        throw new Error('secret')
      },
      log: (message, error) => told.push([message, (error as Error).message]),
    })
    const { port } = await site.listen()
    const { status, text } = await ask(port, '/metrics')
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
    expect(told).toEqual([['Serving a request failed', 'secret']])
  })
})

describe('E1 what is wrong is said with the way to mend it', () => {
  it('a port that is in use, and the gateway can try again', async () => {
    const first = gateway()
    const { port } = await first.listen()
    const second = gateway({ port })
    await second.addServer('files', named('files'))
    await expect(second.listen()).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringMatching(`port ${port} of 127.0.0.1 is in use .*--port`),
    })
    await first.close()
    const { url } = await second.listen()
    expect(await who(`${url}/servers/files/mcp`)).toBe('files')
  })

  it('an address that is not of this machine', async () => {
    await expect(gateway({ host: '203.0.113.7', allowedHosts: ['x.example'] }).listen()).rejects.toThrow(
      '203.0.113.7 is not an address of this machine',
    )
  })

  it('C-41 an address that others reach, without names', async () => {
    await expect(gateway({ host: '0.0.0.0' }).listen()).rejects.toThrow('gateway.allowedHosts')
    const { port } = await gateway({ host: '0.0.0.0', allowedHosts: ['any'] }).listen()
    expect((await ask(port, '/', { host: 'whatever.example' })).status).toBe(200)
  })

  it('names that are taken, unknown, or not possible', async () => {
    const { site } = await running()
    await expect(site.addServer('files', named('twice'))).rejects.toThrow('There is a server files already')
    await expect(site.setAggregate(named('twice'))).rejects.toThrow('There is an aggregate already')
    await expect(site.removeServer('nobody')).rejects.toThrow('There is no server "nobody" to remove')
    await expect(site.removeServer('')).rejects.toThrow('There is no server')
    for (const name of ['', '../mcp', 'a/b', 'a%20b', '.hidden', 'x'.repeat(65)])
      await expect(site.addServer(name, named('x'))).rejects.toMatchObject({ kind: 'validation_failed' })
  })

  it('a server that cannot be served leaves its name free', async () => {
    const { site, url } = await running()
    const broken: Servable = {
      ready: () => {
        throw new Error('broken definition')
      },
      accept: () => {
        throw new Error('never')
      },
    }
    await expect(site.addServer('new', broken)).rejects.toThrow('broken definition')
    await site.addServer('new', named('new'))
    expect(await who(`${url}/servers/new/mcp`)).toBe('new')
  })

  it('a gateway that is closed', async () => {
    const { site, port } = await running()
    await site.close()
    await expect(site.addServer('late', named('late'))).rejects.toMatchObject({ kind: 'shutting_down' })
    await expect(site.listen()).rejects.toMatchObject({ kind: 'shutting_down' })
    await expect(ask(port, '/healthz')).rejects.toThrow('ECONNREFUSED')
    await gateway().close()
  })
})

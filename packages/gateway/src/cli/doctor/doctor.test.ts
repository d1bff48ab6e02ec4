import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, resource, tool } from 'parley-mcp/server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parley, plain, plainServer } from '../cli.fixtures.ts'
import { weatherServer } from '../weather.fixtures.ts'
import { candidates } from './checks/alternatives.ts'
import { nodeCheck } from './index.ts'
import { type Check, SubjectReport } from './report/subject-report.ts'

interface Diagnosis {
  readonly code: number
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** `check status`, without what is about this machine. */
  readonly found: readonly string[]
}

async function doctor(...line: string[]): Promise<Diagnosis> {
  const { code, out } = await parley(['doctor', '--json', ...line])
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] }
  const found = checks
    .filter(({ subject }) => subject !== 'this machine')
    .map(({ check, status }) => `${check} ${status}`)
  return { code, ok, checks, found }
}

const named = ({ checks }: Diagnosis, check: string): Check | undefined => checks.find((each) => each.check === check)

let serving: HttpServing
let folder: string

beforeAll(async () => {
  serving = await serveHttp(weatherServer(), { port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'))
  // What is loaded at the first connection is no slowness of a server.
  await parley(['inspect', '--fast', serving.url])
})
afterAll(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

describe('parley doctor on an address', () => {
  const others: HttpServer[] = []
  afterEach(() => {
    for (const other of others.splice(0)) other.close()
  })

  async function answering(status: number, headers: Record<string, string> = {}, body = 'no'): Promise<string> {
    const server = createHttp((request, response) =>
      request.resume().on('end', () => response.writeHead(status, headers).end(body)),
    )
    others.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  }

  it('finds nothing where nothing is wrong', async () => {
    const diagnosis = await doctor(serving.url)
    expect(diagnosis).toMatchObject({ code: 0, ok: true, found: ['port ok', 'speaks ok', 'lists tools ok'] })
    const { code, out } = await parley(['doctor', serving.url])
    expect(code).toBe(0)
    expect(out).toContain('all is well')
  })

  it('says that nothing listens', async () => {
    const free = createTcp()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const diagnosis = await doctor(`http://127.0.0.1:${port}/mcp`)
    expect(diagnosis).toMatchObject({ code: 1, ok: false, found: ['port problem'] })
    expect(named(diagnosis, 'port')).toMatchObject({
      detail: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('start the server'),
    })
  })

  it('finds the server beside the path that was given', async () => {
    const diagnosis = await doctor(new URL('/wrong', serving.url).href)
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'speaks')?.fix).toBe(`there is a server at ${serving.url}: use that address`)
  })

  it('F10 shows what a server wants that wants to know who asks', async () => {
    const url = await answering(401, { 'www-authenticate': 'Bearer resource_metadata="https://x/.well-known"' })
    const diagnosis = await doctor(url)
    expect(diagnosis.found).toEqual(['port ok', 'access problem'])
    expect(named(diagnosis, 'access')).toMatchObject({
      detail: expect.stringContaining('resource_metadata'),
      fix: expect.stringContaining("--header 'Authorization"),
    })
    expect(named(await doctor(url, '--header', 'Authorization: Bearer old'), 'access')?.fix).toContain(
      'does not accept the credentials',
    )
  })

  it.each([
    [503, 'has failed'],
    [302, 'redirects elsewhere'],
    [404, 'check the path'],
  ])('reads the status %d', async (status, fix) => {
    expect(named(await doctor(await answering(status, { location: '/elsewhere' })), 'speaks')?.fix).toContain(fix)
  })

  it('chooses its advice by the scheme', async () => {
    await using sockets = await serveHttp(weatherServer(), { port: 0, webSocket: true })
    const { host } = new URL(sockets.url)
    const fixOf = async (url: string) => named(await doctor(url, '--timeout', '2s'), 'speaks')?.fix
    expect(await fixOf(`ws://${host}/mcp`)).toBe(`there is a server at ws://${host}/ws: use that address`)
    expect(await fixOf(`tcp://${host}`)).toBe(`there is a server at http://${host}/mcp: use that address`)
    expect(await fixOf((await answering(404)).replace('http:', 'ws:'))).toContain('WebSockets are usually at /ws')
  })

  it('says that what comes from a port is not HTTP', async () => {
    const other = createTcp((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.6\r\n'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const diagnosis = await doctor(`http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`)
    other.close()
    expect(named(diagnosis, 'speaks')).toMatchObject({
      detail: expect.stringContaining('what came is not HTTP'),
      fix: expect.stringContaining('check the port'),
    })
  })

  it('knows a gateway whose server is gone', async () => {
    const gateway = createHttp(async (request, response) => {
      const { id } = (await json(request)) as { id: number }
      const error = { code: -32603, message: 'The server "a" exited with code 1', data: { server: 'a' } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    })
    others.push(gateway)
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    const diagnosis = await doctor(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/servers/a/mcp`)
    expect(named(diagnosis, 'speaks')).toMatchObject({
      detail: expect.stringContaining('exited with code 1'),
      fix: expect.stringContaining('the gateway works'),
    })
  })

  it('knows which server of a gateway was meant', () => {
    const said = 'Nothing is served at this path; the endpoints are /servers/trains/mcp, /servers/notes/mcp, /mcp'
    expect(candidates(new URL('http://a:1/servers/nots/mcp'), said)[0]?.href).toBe('http://a:1/servers/notes/mcp')
    expect(candidates(new URL('http://a:1/mpc'), said)[0]?.href).toBe('http://a:1/mcp')
  })

  it('reads what is named in the first of two refusals, and not beyond', () => {
    const named = 'Nothing is served at this path; the endpoints are /tools/mcp, /tols/sse and 3 more'
    const said = `Neither Streamable HTTP nor HTTP+SSE: ${named}; Nothing is served at this path, /tols/mcp`
    expect(candidates(new URL('http://a:1/tols/mcp'), said)[0]?.href).toBe('http://a:1/tools/mcp')
  })

  it.each([
    [
      'http://a:1/servers/nots/mcp',
      'the endpoints are /servers/n1/mcp, /mcp and 9 more; did you mean /servers/notes/mcp?',
      'http://a:1/servers/notes/mcp',
    ],
    [
      'ws://a:1/servers/nots/ws',
      'WebSockets are taken at /servers/notes/ws, /ws; did you mean /servers/notes/ws?',
      'ws://a:1/servers/notes/ws',
    ],
  ])('at %s believes a gateway that says what was meant', (asked, said, meant) => {
    expect(candidates(new URL(asked), `Nothing is served at this path; ${said}`)[0]?.href).toBe(meant)
  })

  it.each([
    'did you mean //b:2/mpc?',
    'did you mean /\\b:2/mpc?',
    'the endpoint is //b:2/mpc',
    'the endpoints are /\\b:2/mpc, \\/b:2/mpc',
    'the endpoints are //b:2/mcp, http://b:2/mpc, /\t/b:2/mpc',
    'the endpoint is /.//b:2/mpc',
  ])('is led to no other host by a refusal that says %j', (said) => {
    for (const asked of ['http://a:1//b:2/mpc', 'http://a:1/mpc', 'ws://a:1/mpc', 'http://a:1/servers/x/mcp'])
      expect(candidates(new URL(asked), said).map(({ host }) => host)).not.toContain('b:2')
  })

  it('keeps credentials from a host that a refusal names', async () => {
    const strangers: string[] = []
    const stranger = createHttp((request, response) => {
      strangers.push(String(request.headers.authorization))
      request.resume().on('end', () => response.writeHead(404).end())
    })
    others.push(stranger)
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as AddressInfo
    const address = await answering(404, {}, `Nothing is served at this path; the endpoint is //127.0.0.1:${port}/mcp`)
    await doctor(
      address.replace('/mcp', `//127.0.0.1:${port}/mpc`),
      '--header',
      'Authorization: Bearer secret',
      '--timeout',
      '2s',
    )
    expect(strangers).toEqual([])
  })

  it('says that a port does not speak TLS', async () => {
    const diagnosis = await doctor(serving.url.replace('http:', 'https:'))
    expect(named(diagnosis, 'certificate')).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('try http://'),
    })
  })

  it('looks at the servers behind a gateway', async () => {
    const status = (servers: unknown) =>
      resource('parley://status', { name: 'status' }, () => JSON.stringify({ servers }))
    const gateway = (servers: unknown) =>
      serveHttp(createServer({ name: 'parley-gateway', version: '1.0.0' }).add(status(servers)), { port: 0 })
    await using well = await gateway([{ name: 'a', state: 'running' }])
    expect(named(await doctor(well.url), 'servers behind it')).toMatchObject({
      status: 'ok',
      detail: '1 server, none is down',
    })
    await using ill = await gateway([
      { name: 'a', state: 'running' },
      { name: 'b', state: 'down', lastError: 'no such program' },
      7,
    ])
    expect(named(await doctor(ill.url), 'servers behind it')).toMatchObject({
      status: 'warning',
      detail: 'b is down: no such program',
    })
    await using early = await gateway([{ name: 'a', state: 'starting' }])
    expect((await doctor(early.url)).checks).toContainEqual(
      expect.objectContaining({ status: 'warning', detail: 'still starting: a' }),
    )
    await using odd = await gateway('what?')
    expect(named(await doctor(odd.url), 'servers behind it')).toBeUndefined()
  })

  it('warns of tools that some clients do not take', async () => {
    const odd = createServer({ name: 'odd', version: '1.0.0' }).add(tool('a.b', {}, () => 'x'))
    await using other = await serveHttp(odd, { port: 0 })
    const diagnosis = await doctor(other.url)
    expect(diagnosis).toMatchObject({
      code: 0,
      found: expect.arrayContaining(['tool names warning', 'tool descriptions warning']),
    })
  })
})

describe('parley doctor on a command', () => {
  it('finds nothing where nothing is wrong', async () => {
    expect(await doctor(...plain())).toMatchObject({
      code: 0,
      found: ['command ok', 'speaks ok', 'lists tools ok', 'output ok', 'ends ok'],
    })
  })

  it('says that it does not exist', async () => {
    const diagnosis = await doctor('--', 'no-such-command-at-all')
    expect(diagnosis).toMatchObject({ code: 1, found: ['command problem'] })
    expect(named(await doctor('--', 'node server.js'), 'command')?.fix).toContain('"args"')
  })

  it('quotes the last words of one that ends at once', async () => {
    const diagnosis = await doctor(...plain('--crash'))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'starts')?.detail).toMatch(/exited with code 3[\s\S]*no API key: set PLAIN_KEY/)
  })

  it('says where to look when it ends without a word', async () => {
    expect(named(await doctor(...plain('--quit')), 'starts')).toMatchObject({
      detail: expect.stringContaining('it wrote nothing to standard error'),
      fix: expect.stringContaining('start it by hand'),
    })
  })

  it('tells a version nobody knows from one that is not wanted', async () => {
    const newer = named(await doctor(...plain('--newer')), 'speaks')
    expect(newer).toMatchObject({
      detail: expect.stringMatching(/"2099-01-01".* 2026-07-28$/),
      fix: expect.stringContaining('update parley-gateway'),
    })
    const path = join(folder, 'versions.json')
    const plainly = { command: process.execPath, args: [plainServer], versions: ['2025-11-25'] }
    await writeFile(path, JSON.stringify({ mcpServers: { plainly } }))
    expect(named(await doctor('--config', path, '--server', 'plainly'), 'speaks')?.fix).toContain('remove "versions"')
  })

  it('warns of what is no message on standard output', async () => {
    const diagnosis = await doctor(...plain('--junk'))
    expect(diagnosis.code).toBe(0)
    expect(named(diagnosis, 'output')).toMatchObject({
      status: 'warning',
      detail: '1 line on standard output that is not a message, the first "Server is starting…"',
    })
  })

  it.each([
    ['--untyped', 'tool definitions', '"odd" has an "inputSchema" without "type": "object"'],
    ['--unlistable', 'lists tools', 'the database is away'],
    ['--unreadable', 'lists resources', 'the disk is away'],
  ])('finds a problem where clients cannot list: %s', async (habit, check, detail) => {
    const diagnosis = await doctor(...plain(habit))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, check)).toMatchObject({ status: 'problem', detail: expect.stringContaining(detail) })
    if (habit === '--untyped') return
    const { code, out } = await parley(['inspect', '--fast', ...plain(habit)])
    expect(code).toBe(1)
    expect(out).toMatch(/cannot be listed/)
  })

  it('takes a list that the server does not know for an empty one', async () => {
    expect(await doctor(...plain('--half'))).toMatchObject({ code: 0, ok: true })
    expect((await parley(['inspect', '--fast', ...plain('--half')])).code).toBe(0)
  })

  it('says of one that ends only when it is told to, with what code ever, that it had to be told', async () => {
    const ends = named(await doctor(...plain('--late')), 'ends')
    expect(ends).toMatchObject({
      status: 'warning',
      detail: 'not when its input was closed: it still ran 2s later and was ended by SIGTERM',
    })
  })

  it('gives up on one that never answers, and ends it', async () => {
    const diagnosis = await doctor('--timeout', '400ms', ...plain('--mute'))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'speaks')?.detail).toContain('no answer within')
  })

  it('warns of one that has to be killed', async () => {
    expect(named(await doctor(...plain('--stay')), 'ends')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('SIGTERM'),
    })
  })

  it.each([
    [['--bracket'], '"[server] Listening on http://localhost:3000"'],
    [['--record'], String.raw`"{\"level\":\"info\",\"msg\":\"starting\"}"`],
  ])('takes no log line for a message: %j', async (habits, line) => {
    const diagnosis = await doctor(...plain(...habits))
    expect(named(diagnosis, 'output')).toMatchObject({ status: 'warning', detail: expect.stringContaining(line) })
  })
})

describe('parley doctor on a configuration', () => {
  async function file(content: object, name = 'parley.json'): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, JSON.stringify(content))
    return path
  }

  it('looks at every server, and finds two that are one', async () => {
    const weather = { url: serving.url }
    const config = {
      mcpServers: { weather, again: weather, local: { command: process.execPath, args: [plainServer] } },
      gateway: { port: 0 },
    }
    const diagnosis = await doctor('--config', await file(config))
    expect(diagnosis).toMatchObject({ code: 0, ok: true })
    expect([...new Set(diagnosis.checks.map(({ subject }) => subject))].slice(2)).toEqual(['weather', 'again', 'local'])
    expect(named(diagnosis, 'duplicates')).toMatchObject({
      status: 'warning',
      detail: 'again is the same server as weather',
    })
    const one = await doctor('--config', await file(config), '--server', 'local')
    expect([...new Set(one.checks.map(({ subject }) => subject))]).toEqual(['local'])
    expect((await parley(['doctor', '--config', await file(config), '--server', 'lokal'])).err).toContain(
      'did you mean "local"?',
    )
  })

  it('finds a port that is taken', async () => {
    const taken = createTcp((socket) => socket.destroy())
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const diagnosis = await doctor('--config', await file({ mcpServers: {}, gateway: { port } }))
    await new Promise((resolve) => taken.close(resolve))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'port')).toMatchObject({
      status: 'problem',
      detail: `127.0.0.1:${port} is taken by another program`,
    })
    expect(named(await doctor('--config', await file({ mcpServers: {}, gateway: { port } })), 'port')?.status).toBe(
      'ok',
    )
  })

  it('tells every problem of the file with its place', async () => {
    const diagnosis = await doctor('--config', await file({ mcpServers: { a: { comand: 'x' } } }))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'configuration')).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(/line 1, column \d+/),
      fix: expect.any(String),
    })
    expect((await doctor('--config', join(folder, 'absent.json'))).code).toBe(1)
  })
})

describe('parley doctor while it works', () => {
  it('tells of each subject as soon as it is finished, and on interruption of what is not', async () => {
    const path = join(folder, 'slow.json')
    const mute = { command: process.execPath, args: [plainServer, '--mute'] }
    await writeFile(path, JSON.stringify({ mcpServers: { mute, weather: { url: serving.url } }, gateway: { port: 0 } }))
    const { code, out, err } = await parley(['doctor', '--config', path], {
      onStdout: (text, { interrupt }) => {
        if (/^weather$/m.test(text)) interrupt()
      },
    })
    expect([code, err]).toEqual([1, 'error: Cancelled\n'])
    expect(out).toMatch(/^ {2}ok {7}lists tools.*\n\nmute\n(?: {2}ok .*\n)* {2}not finished\n\n/m)
    expect(out).toMatch(/no problems so far, but not all is finished\n$/)
    const json = await parley(['doctor', '--json', '--verbose', ...plain('--mute', '--log')], {
      onStderr: (_, { interrupt }) => interrupt(),
    })
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      1,
      { ok: false, unfinished: [expect.stringContaining('--mute')] },
    ])
  })

  it('has nothing to say where there is nothing to look at', async () => {
    const before = process.cwd()
    process.chdir(await mkdtemp(join(folder, 'empty-')))
    const { code, out, err } = await parley(['doctor', '--server', 'x']).finally(() => process.chdir(before))
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('nothing was checked')
  })
})

describe('parley doctor on this machine', () => {
  it('wants Node 20 or later', () => {
    const found = (node: string): readonly Check[] => {
      const report = new SubjectReport('this machine')
      nodeCheck(report, node)
      return report.checks
    }
    expect(found('20.1.0')).toMatchObject([{ status: 'ok' }])
    expect(found('18.20.0')).toMatchObject([{ status: 'problem', fix: 'install Node 20 or later' }])
  })
})

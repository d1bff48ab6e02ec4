import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, resource, tool } from 'parley-mcp/server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parley, plain, plainServer } from '../cli.fixtures.ts'
import { weatherServer } from '../weather.fixtures.ts'
import type { Check } from './check.ts'
import { machineChecks } from './machine.ts'

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
  const found = checks.filter(({ subject }) => subject !== 'this machine').map(({ check, status }) => `${check} ${status}`)
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
    const server = createHttp((request, response) => request.resume().on('end', () => response.writeHead(status, headers).end(body)))
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
    expect(named(diagnosis, 'port')).toMatchObject({ detail: expect.stringContaining('ECONNREFUSED'), fix: expect.stringContaining('start the server') })
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
    expect(named(await doctor(url, '--header', 'Authorization: Bearer old'), 'access')?.fix).toContain('are not taken')
  })

  it.each([
    [503, 'is broken'],
    [302, 'leads elsewhere'],
    [404, 'check the path'],
  ])('reads the status %d', async (status, fix) => {
    expect(named(await doctor(await answering(status, { location: '/elsewhere' })), 'speaks')?.fix).toContain(fix)
  })

  it('says that a port does not speak TLS', async () => {
    const diagnosis = await doctor(serving.url.replace('http:', 'https:'))
    expect(named(diagnosis, 'certificate')).toMatchObject({ status: 'problem', fix: expect.stringContaining('try http://') })
  })

  it('looks at the servers behind a gateway', async () => {
    const status = (servers: unknown) => resource('parley://status', { name: 'status' }, () => JSON.stringify({ servers }))
    const gateway = (servers: unknown) => serveHttp(createServer({ name: 'parley-gateway', version: '1.0.0' }).add(status(servers)), { port: 0 })
    await using well = await gateway([{ name: 'a', state: 'running' }])
    expect(named(await doctor(well.url), 'servers behind it')).toMatchObject({ status: 'ok', detail: '1 server, none is down' })
    await using ill = await gateway([{ name: 'a', state: 'running' }, { name: 'b', state: 'down', lastError: 'no such program' }, 7])
    expect(named(await doctor(ill.url), 'servers behind it')).toMatchObject({ status: 'warning', detail: 'b is down: no such program' })
    await using odd = await gateway('what?')
    expect(named(await doctor(odd.url), 'servers behind it')).toBeUndefined()
  })

  it('warns of tools that some clients do not take', async () => {
    const odd = createServer({ name: 'odd', version: '1.0.0' }).add(tool('a.b', {}, () => 'x'))
    await using other = await serveHttp(odd, { port: 0 })
    const diagnosis = await doctor(other.url)
    expect(diagnosis).toMatchObject({ code: 0, found: expect.arrayContaining(['tool names warning', 'tool descriptions warning']) })
  })
})

describe('parley doctor on a command', () => {
  it('finds nothing where nothing is wrong', async () => {
    expect(await doctor(...plain())).toMatchObject({ code: 0, found: ['command ok', 'speaks ok', 'lists tools ok', 'output ok', 'ends ok'] })
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

  it('warns of what is no message on standard output', async () => {
    const diagnosis = await doctor(...plain('--junk'))
    expect(diagnosis.code).toBe(0)
    expect(named(diagnosis, 'output')).toMatchObject({ status: 'warning', detail: expect.stringContaining('Server is starting…') })
  })

  it('gives up on one that never answers, and ends it', async () => {
    const diagnosis = await doctor('--timeout', '400ms', ...plain('--mute'))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'speaks')?.detail).toContain('no answer within')
  })

  it('warns of one that has to be killed', async () => {
    expect(named(await doctor(...plain('--stay')), 'ends')).toMatchObject({ status: 'warning', detail: expect.stringContaining('SIGTERM') })
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
    const config = { mcpServers: { weather, again: weather, local: { command: process.execPath, args: [plainServer] } }, gateway: { port: 0 } }
    const diagnosis = await doctor('--config', await file(config))
    expect(diagnosis).toMatchObject({ code: 0, ok: true })
    expect([...new Set(diagnosis.checks.map(({ subject }) => subject))].slice(2)).toEqual(['weather', 'again', 'local'])
    expect(named(diagnosis, 'duplicates')).toMatchObject({ status: 'warning', detail: 'again is the same server as weather' })
    const one = await doctor('--config', await file(config), '--server', 'local')
    expect(one.checks.map(({ subject }) => subject)).not.toContain('weather')
    expect((await parley(['doctor', '--config', await file(config), '--server', 'lokal'])).err).toContain('did you mean "local"?')
  })

  it('finds a port that is taken', async () => {
    const taken = createTcp((socket) => socket.destroy())
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const diagnosis = await doctor('--config', await file({ mcpServers: {}, gateway: { port } }))
    await new Promise((resolve) => taken.close(resolve))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'port')).toMatchObject({ status: 'problem', detail: `127.0.0.1:${port} is taken by another program` })
    expect(named(await doctor('--config', await file({ mcpServers: {}, gateway: { port } })), 'port')?.status).toBe('ok')
  })

  it('tells every problem of the file with its place', async () => {
    const diagnosis = await doctor('--config', await file({ mcpServers: { a: { comand: 'x' } } }))
    expect(diagnosis.code).toBe(1)
    expect(named(diagnosis, 'configuration')).toMatchObject({ status: 'problem', detail: expect.stringMatching(/line 1, column \d+/), fix: expect.any(String) })
    expect((await doctor('--config', join(folder, 'absent.json'))).code).toBe(1)
  })
})

describe('parley doctor on this machine', () => {
  it('wants Node 20 or later', () => {
    expect(machineChecks('20.1.0')).toMatchObject([{ status: 'ok' }])
    expect(machineChecks('18.20.0')).toMatchObject([{ status: 'problem', fix: 'install Node 20 or later' }])
  })
})

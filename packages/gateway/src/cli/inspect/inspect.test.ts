import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpServing, serveHttp, serveTcp } from 'parley-mcp/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parley, plain, plainServer } from '../cli.fixtures.ts'
import { weatherServer } from '../weather.fixtures.ts'

let serving: HttpServing
let folder: string

beforeAll(async () => {
  serving = await serveHttp(weatherServer(), { port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'parley-inspect-'))
})
afterAll(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

describe('X1 parley inspect of an address', () => {
  it('tells who the server is, what it speaks and what it offers', async () => {
    const { code, out, err } = await parley(['inspect', serving.url])
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('weather 2.0.0 (Weather service)')
    expect(out).toMatch(/transport +http\n/)
    expect(out).toMatch(/version +2026-07-28 \(stateless era\)/)
    expect(out).toMatch(/speaks +2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28/)
    expect(out).toContain('Ask for one city at a time.')
    expect(out).toMatch(/forecast\(city: string, days\?: integer\) +Forecast for a city\n/)
    expect(out).toMatch(/weather:\/\/now +Now/)
    expect(out).toMatch(/weather:\/\/\{city\} +City/)
    expect(out).toMatch(/summary\(city\?\) +Sums it up/)
  })

  it('lets no text of a server steer the terminal, and paints nothing that is piped', async () => {
    const { out } = await parley(['inspect', serving.url, '--fast'])
    expect(out).not.toContain('\u001b')
    const coloured = await parley(['inspect', serving.url, '--fast'], { tty: true })
    expect(coloured.out).toContain('\u001b[1mweather')
    expect(coloured.out).not.toContain('\u001b[31mtext')
    expect((await parley(['inspect', serving.url, '--fast'], { tty: true, env: { NO_COLOR: '1' } })).out).toBe(out)
  })

  it.each([
    ['as wide as it is', 60, 60],
    ['as wide as usual where it does not know', 0, 80],
  ])('fills a terminal %s', async (_, columns, width) => {
    const { out } = await parley(['inspect', serving.url], { tty: true, env: { NO_COLOR: '1' }, columns })
    const lengths = out.split('\n').map((line) => line.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(width)
    expect(Math.max(...lengths)).toBeGreaterThan(width / 2)
  })

  it('shows the first of many, and all when asked', async () => {
    const { out } = await parley(['inspect', serving.url, '--fast', '--first', '1'])
    expect(out).toContain('… and 5 more; --all shows them')
    expect(out).not.toContain('deploy()')
    expect((await parley(['inspect', serving.url, '--fast', '--first', '1', '--all'])).out).toContain('deploy()')
  })

  it('is one JSON document with stable keys', async () => {
    const { code, out, err } = await parley(['inspect', serving.url, '--json'])
    expect([code, err]).toEqual([0, ''])
    const report = JSON.parse(out)
    expect(Object.keys(report).sort()).toEqual(
      [
        'behind',
        'capabilities',
        'conversation',
        'era',
        'instructions',
        'losses',
        'prompts',
        'resources',
        'server',
        'target',
        'templates',
        'tools',
        'transport',
        'version',
        'versions',
      ].sort(),
    )
    expect(report.target).toEqual({ kind: 'url', url: serving.url })
    expect(report.versions).toHaveLength(5)
    expect(report.tools).toMatchObject({ count: 6, error: null })
    expect(JSON.parse((await parley(['inspect', serving.url, '--json', '--fast'])).out).versions).toBeNull()
  })

  it('speaks one version when told', async () => {
    const { out } = await parley(['inspect', serving.url, '--fast', '--version', '2025-03-26', '--json'])
    expect(JSON.parse(out)).toMatchObject({ version: '2025-03-26', era: 'handshake' })
  })

  it('ends with 1 where there is no server', async () => {
    const { port } = serving
    const { code, out, err } = await parley([
      'inspect',
      `http://127.0.0.1:${port}/nowhere`,
      '--timeout',
      '5s',
      '--json',
    ])
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(err).error).toMatchObject({ kind: expect.any(String), message: expect.stringContaining('/mcp') })
  })
})

describe('T1 parley inspect over every transport', () => {
  it('takes ws:// and tcp://', async () => {
    await using sockets = await serveHttp(weatherServer(), { port: 0, webSocket: true })
    const tcp = await serveTcp(weatherServer(), { port: 0 })
    const urls = [new URL('/ws', sockets.url.replace('http:', 'ws:')).href, `tcp://127.0.0.1:${tcp.port}`]
    for (const url of urls) {
      const { code, out } = await parley(['inspect', url, '--fast', '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        server: { name: 'weather' },
        transport: url.startsWith('ws') ? 'websocket' : 'tcp',
      })
    }
    await tcp.close()
  })
})

describe('X1 parley inspect of a command', () => {
  it('finds out by one process for each version what it speaks', async () => {
    const { code, out } = await parley(['inspect', '--json', ...plain()])
    const report = JSON.parse(out)
    expect(code).toBe(0)
    expect(report).toMatchObject({
      server: { name: 'plain' },
      transport: 'stdio',
      era: 'handshake',
      version: '2025-06-18',
    })
    expect(
      report.versions
        .filter((each: { speaks: boolean }) => each.speaks)
        .map((each: { version: string }) => each.version),
    ).toEqual(['2025-06-18'])
    expect(report.versions[0].reason).toEqual(expect.any(String))
  })

  it('quotes the last words of one that does not start', async () => {
    const { code, err } = await parley(['inspect', ...plain('--crash')])
    expect(code).toBe(1)
    expect(err).toContain('exited with code 3')
    expect(err).toContain('no API key: set PLAIN_KEY')
  })
})

describe('parley inspect --config', () => {
  it('shows every server, and what is wrong with those that fail', async () => {
    const file = join(folder, 'two.json')
    const broken = { command: process.execPath, args: [plainServer, '--crash'] }
    await writeFile(file, JSON.stringify({ mcpServers: { weather: { url: serving.url }, broken } }))
    const { code, out } = await parley(['inspect', '--config', file, '--fast', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out).servers).toMatchObject([
      { name: 'weather', ok: true, version: '2026-07-28' },
      { name: 'broken', ok: false, error: { message: expect.stringContaining('PLAIN_KEY') } },
    ])
    const text = await parley(['inspect', '--config', file, '--fast'])
    expect(text.out).toContain('── weather\nweather 2.0.0')
    expect(text.out).toMatch(/── broken\n {2}not reached: .*exited with code 3/)
    expect(text.err).toContain('broken: ')
  })

  it('takes one by its name, and knows what was meant by another', async () => {
    const file = join(folder, 'one.json')
    await writeFile(file, JSON.stringify({ mcpServers: { weather: { url: serving.url } } }))
    expect((await parley(['inspect', '--config', file, '--server', 'weather', '--fast'])).code).toBe(0)
    const { code, err } = await parley(['inspect', '--config', file, '--server', 'wether'])
    expect(code).toBe(2)
    expect(err).toContain('did you mean "weather"?')
  })

  it('tells what is wrong with the file', async () => {
    const file = join(folder, 'bad.json')
    await writeFile(file, '{ "mcpServers": { "a": { "comand": "x" } } }')
    const { code, err } = await parley(['inspect', '--config', file, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(err).error).toMatchObject({ kind: 'invalid_config', data: { problems: expect.any(Array) } })
  })
})

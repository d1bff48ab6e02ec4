/** G, O: what the audit file of a gateway says of what its clients did, and what it never says. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProtocolVersion } from 'parley-mcp'
import type { Client, ConnectOptions } from 'parley-mcp/client'
import { connect, serveHttp } from 'parley-mcp/node'
import { createServer, prompt, resource, type Server, ToolError, tool } from 'parley-mcp/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../audit/audit.fixtures.ts'
import { verifyAuditFile } from '../audit/index.ts'
import { parseConfig } from '../config/index.ts'
import { Gateway } from './index.ts'

const SECRET = 'hunter2-the-secret'
const KEY = 'principal'
type Line = Readonly<Record<string, unknown>>

let undo: (() => unknown)[]
let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-receipts-'))
  file = join(folder, 'audit.jsonl')
  undo = [() => rm(folder, { recursive: true, force: true })]
})
afterEach(async () => {
  for (const each of undo.reverse()) await each()
})

const yes = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const

function notes(): Server {
  return createServer({ name: 'notes', version: '1' }, { onError: () => {} }).add(
    tool(
      'greet',
      { input: { type: 'object', properties: { who: { type: 'string' } } } },
      ({ who }: { who?: string }) => `Hello ${who}, ${SECRET}`,
    ),
    tool('fail', {}, () => {
      throw new ToolError(SECRET)
    }),
    tool(
      'wait',
      {},
      (_, ctx) =>
        new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('cancelled')))),
    ),
    tool('link', {}, () => ({ content: [{ type: 'resource_link', name: 'a', uri: 'note://a' }] })),
    tool('ask', {}, async (_, ctx) =>
      (await ctx.elicit('sure', `Sure, ${SECRET}?`, yes)).action === 'accept' ? 'done' : 'not done',
    ),
    prompt('summary', {}, () => SECRET),
    prompt('letter', { arguments: { to: { complete: () => ['Ann'] } } }, () => SECRET),
    resource('note://user:pass@today/{id}', {}, () => SECRET),
    resource('note://plain', {}, () => SECRET),
  )
}

function configOf(servers: Record<string, unknown>, settings: object = {}) {
  const text = JSON.stringify({
    mcpServers: servers,
    gateway: { port: 0, audit: './audit.jsonl', principalHeader: 'X-User', ...settings },
  })
  return parseConfig(text, { file: join(folder, 'parley.json'), env: {} }).config
}

async function begin(
  settings: object = {},
): Promise<{ gateway: Gateway; url: string; config: ReturnType<typeof configOf> }> {
  const serving = await serveHttp(notes(), { port: 0 })
  const { url } = serving
  const config = configOf({ notes: { url, ...settings }, older: { url, lazy: true, versions: ['2025-03-26'] } })
  const gateway = new Gateway(config)
  undo.push(() => serving.close({ drain: 0 }))
  undo.push(() => gateway.close(0))
  return { gateway, config, ...(await gateway.start()) }
}

async function clientOf(
  url: string,
  version: ProtocolVersion,
  options: ConnectOptions = {},
  target: { fetch?: typeof fetch } = {},
): Promise<Client> {
  const headers = { 'X-User': KEY, Authorization: `Bearer ${SECRET}` }
  const client = await connect(
    { url, headers, ...target },
    { version, info: { name: 'tester', version: '3.2.1' }, ...options },
  )
  undo.push(() => client.close())
  return client
}

async function written(gateway: Gateway): Promise<Line[]> {
  await gateway.close(0)
  expect(await verifyAuditFile(file)).toMatchObject({ unbroken: true })
  const text = await readFile(file, 'utf8')
  for (const secret of [SECRET, 'hunter2', 'Bearer', 'user:pass']) expect(text).not.toContain(secret)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const requests = (lines: readonly Line[], method: string): Line[] =>
  lines.filter((line) => line['kind'] === 'request' && line['method'] === method)

const VERSIONS = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const
const ADDRESSES = [
  { path: '/servers/notes/mcp', name: (own: string) => own },
  { path: '/mcp', name: (own: string) => `notes__${own}` },
] as const

describe.each(VERSIONS)('G receipts of a client of %s', (version) => {
  it.each(ADDRESSES)('at $path: client, server, request and outcome', async ({ path, name }) => {
    const { gateway, url } = await begin()
    const client = await clientOf(url + path, version)
    await client.call(name('greet'), { who: 'x' })
    await client.call(name('fail')).catch(() => {})
    await client.call(name('nobody')).catch(() => {})
    await client.prompt(name('summary'))
    await client.read('note://plain')
    const lines = await written(gateway)
    const [greeted, failed, unknown] = requests(lines, 'tools/call')
    expect(greeted).toEqual({
      kind: 'request',
      number: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ms: expect.any(Number),
      principal: KEY,
      client: { name: 'tester', version: '3.2.1' },
      protocol: version,
      ...(version !== '2026-07-28' && { session: expect.stringMatching(/^[0-9a-f]{12}$/) }),
      server: 'notes',
      method: 'tools/call',
      target: 'greet',
      params: expect.stringMatching(/^sha256-/),
      result: expect.stringMatching(/^sha256-/),
      outcome: 'ok',
      previous: expect.any(String),
      hash: expect.any(String),
    })
    expect(failed).toMatchObject({ target: 'fail', outcome: 'tool_error' })
    expect(unknown).toMatchObject({
      target: name('nobody').replace('notes__', ''),
      outcome: 'error',
      code: -32602,
      error: expect.any(String),
    })
    expect(requests(lines, 'prompts/get')).toMatchObject([{ server: 'notes', target: 'summary', outcome: 'ok' }])
    expect(requests(lines, 'resources/read')).toMatchObject([
      { server: 'notes', target: 'note://plain', outcome: 'ok' },
    ])
    expect([lines[0]?.['kind'], lines.at(-1)?.['kind']]).toEqual(['start', 'end'])
  })

  it.each(ADDRESSES)(
    'at $path: a question has a line of its own, with what the user decided',
    async ({ path, name }) => {
      if (version < '2025-06-18') return
      const { gateway, url } = await begin()
      const client = await clientOf(url + path, version, { elicit: () => ({ action: 'decline' }) })
      expect((await client.call(name('ask'))).text).toBe('not done')
      const lines = await written(gateway)
      expect(lines.filter(({ kind }) => kind === 'question')).toMatchObject([
        {
          method: 'elicitation/create',
          server: 'notes',
          principal: KEY,
          client: { name: 'tester' },
          outcome: 'ok',
          action: 'decline',
          params: expect.any(String),
        },
      ])
      expect(requests(lines, 'tools/call').map(({ outcome }) => outcome)).toEqual(
        version === '2026-07-28' ? ['input_required', 'ok'] : ['ok'],
      )
    },
  )
})

describe('G receipts', () => {
  it('digests are of what was sent and what was received', async () => {
    const { gateway, url } = await begin()
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'greet',
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'greet', arguments: { who: 'x', number: 1 }, _meta }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params })
    const answer = await (await fetch(`${url}/servers/notes/mcp`, { method: 'POST', headers, body })).text()
    const [, result = ''] = /"result":(\{.*\})\}/.exec(answer) ?? []
    expect(requests(await written(gateway), 'tools/call')).toMatchObject([
      { params: sha256(JSON.stringify(params)), result: sha256(result), outcome: 'ok' },
    ])
  })

  it('what was cancelled, refused and cut off by the end', async () => {
    const { gateway, url } = await begin()
    const client = await clientOf(`${url}/servers/notes/mcp`, '2025-11-25')
    const controller = new AbortController()
    const waiting = [client.call('wait', {}, { signal: controller.signal }), client.call('wait')]
    const over = Promise.allSettled(waiting)
    await client.call('greet', {})
    controller.abort()
    await client.call('greet', {})
    await client.session.request('logging/setLevel', { level: 'loud' }).catch(() => {})
    const lines = await written(gateway)
    await over
    expect(requests(lines, 'tools/call').map(({ target, outcome, error }) => [target, outcome, error])).toEqual([
      ['greet', 'ok', undefined],
      ['wait', 'cancelled', undefined],
      ['greet', 'ok', undefined],
      ['wait', expect.stringMatching(/error|refused|cancelled/), expect.anything()],
    ])
    expect(requests(lines, 'initialize')).toMatchObject([
      { outcome: 'ok', client: { name: 'tester' }, server: 'notes' },
    ])
  })

  it('what translation has lost, on both sides of the gateway', async () => {
    const { gateway, url } = await begin()
    const old = await clientOf(`${url}/servers/notes/mcp`, '2024-11-05')
    await old.call('link')
    const [newer, all] = [
      await clientOf(`${url}/servers/older/mcp`, '2025-11-25'),
      await clientOf(`${url}/mcp`, '2026-07-28'),
    ]
    for (const [client, name] of [
      [newer, 'letter'],
      [all, 'older__letter'],
    ] as const)
      await client.complete({ prompt: name }, { name: 'to', value: '' }, { tone: 'kind' })
    const lines = await written(gateway)
    expect(requests(lines, 'tools/call')).toMatchObject([{ target: 'link', losses: expect.arrayContaining(['B-06']) }])
    expect(requests(lines, 'completion/complete')).toMatchObject(
      [1, 2].map(() => ({ server: 'older', target: 'letter', losses: ['B-09'] })),
    )
  })

  it('tools under another name are called what the server calls them', async () => {
    const { gateway, url } = await begin({ tools: { rename: { greet: 'hello' } } })
    await (await clientOf(`${url}/servers/notes/mcp`, '2025-11-25')).call('hello', {})
    await (await clientOf(`${url}/mcp`, '2025-11-25')).call('notes__hello', {})
    expect(requests(await written(gateway), 'tools/call')).toMatchObject([{ target: 'greet' }, { target: 'greet' }])
  })

  it('neither ids of sessions nor long words of clients; addresses of resources without what may be secret', async () => {
    const { gateway, url } = await begin()
    const ids: string[] = []
    const spying: typeof fetch = async (...args) => {
      const response = await fetch(...args)
      const id = response.headers.get('mcp-session-id')
      if (id !== null) ids.push(id)
      return response
    }
    const info = { name: 'n'.repeat(5000), version: 'v'.repeat(5000) }
    const client = await clientOf(`${url}/servers/notes/mcp`, '2025-11-25', { info }, { fetch: spying })
    await client.read(`note://user:pass@today/1?token=${SECRET}#${SECRET}`).catch(() => {})
    await client.call('t'.repeat(5000)).catch(() => {})
    const lines = await written(gateway)
    expect(ids.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain(ids[0])
    expect(requests(lines, 'resources/read')).toMatchObject([{ target: 'note://today/1' }])
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(2000)
  })

  it('a new configuration, and that it holds only after a restart where it is about the file', async () => {
    const { gateway, config } = await begin()
    await gateway.reload(configOf({}))
    await gateway.reload(config)
    const lines = await written(gateway)
    const [start, other, back] = lines.filter(({ kind }) => kind === 'start' || kind === 'reload')
    expect([other?.['kind'], back?.['configuration']]).toEqual(['reload', start?.['configuration']])
    expect(other?.['configuration']).not.toBe(start?.['configuration'])
  })

  it('are counted, go on after a restart, and nothing is kept without a file', async () => {
    const first = await begin()
    await (await clientOf(`${first.url}/mcp`, '2025-11-25')).close()
    const before = (await written(first.gateway)).length
    expect(first.gateway.metrics.text()).toContain(`parley_audit_receipts_total ${before}\n`)
    const second = await begin()
    expect((await written(second.gateway)).map(({ number }) => number)).toEqual(
      Array.from({ length: before + 2 }, (_, n) => n + 1),
    )
    const silent = new Gateway(
      parseConfig('{"mcpServers":{},"gateway":{"port":0}}', { file: join(folder, 'parley.json'), env: {} }).config,
    )
    undo.push(() => silent.close(0))
    await silent.start()
    expect(silent.metrics.text()).toContain('parley_audit_receipts_total 0\n')
  })

  it('a second gateway on the same file, and a folder that is not there, are clear errors; a gateway that cannot listen lets go of it', async () => {
    const { gateway, config, url } = await begin()
    await expect(new Gateway(config).start()).rejects.toThrow(/written by another gateway/)
    await expect(new Gateway(configOf({}, { audit: './missing/audit.jsonl' })).start()).rejects.toThrow(
      /folder of the audit file .*missing.* is not there/,
    )
    const other = new Gateway(configOf({}, { audit: './other.jsonl', port: Number(new URL(url).port) }))
    await expect(other.start()).rejects.toThrow(/cannot listen/)
    await expect(readFile(join(folder, 'other.jsonl.lock'))).rejects.toThrow('ENOENT')
    await gateway.close(0)
  })
})

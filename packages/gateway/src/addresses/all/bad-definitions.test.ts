/** One server harms no other: whatever definitions it lists, published clients read all that is right. */
import fc from 'fast-check'
import type { ProtocolVersion } from 'parley-mcp'
import { connect } from 'parley-mcp/client'
import type { Acceptor, Body } from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import type { GatewayLog } from '../../log/index.ts'
import { collectingLog } from '../server/bridge.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'
import { type PublishedClient, type PublishedVersion, publishedClient } from './published-clients.fixtures.ts'
import { listed, type RawAnswer, rawServer } from './raw-server.fixtures.ts'

const CAPABILITIES = { tools: {}, prompts: {}, resources: {} }

interface Kind {
  readonly method: string
  readonly field: string
  readonly key: string
  readonly good: Body
  read(client: PublishedClient): Promise<Body[]>
}

const KINDS: readonly Kind[] = [
  {
    method: 'tools/list',
    field: 'tools',
    key: 'name',
    good: {
      name: 'good',
      description: 'Fine',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    },
    read: async (client) => (await client.listTools()).tools as never,
  },
  {
    method: 'prompts/list',
    field: 'prompts',
    key: 'name',
    good: { name: 'good', arguments: [{ name: 'a', required: true }] },
    read: async (client) => (await client.listPrompts()).prompts as never,
  },
  {
    method: 'resources/list',
    field: 'resources',
    key: 'uri',
    good: { uri: 'note://good', name: 'good', annotations: { priority: 0.5, lastModified: '2025-01-12T15:00:58Z' } },
    read: async (client) => (await client.listResources()).resources as never,
  },
  {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    good: { uriTemplate: 'good://{a}', name: 'good' },
    read: async (client) => (await client.listResourceTemplates()).resourceTemplates as never,
  },
]

/** What may stand where something else belongs. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    7,
    -1,
    true,
    false,
    'text',
    '',
    [],
    [null],
    [7],
    ['x'],
    {},
    { x: 1 },
    { type: 'string' },
    { type: 'object' },
    [{}],
  ),
  fc.constantFrom<unknown>(
    { type: 'object', properties: { a: 7, b: true, c: false, d: [], required: ['a'] } },
    { type: 'object', properties: 'none', required: true },
    { type: ['object', 'null'], required: ['a', 7] },
    { type: 'array', items: {} },
    { properties: { a: {} }, $schema: 5 },
    { type: 'object', additionalProperties: { type: 'string' } },
    { audience: ['nobody'], priority: 5, lastModified: 'yesterday' },
    { lastModified: '2025-02-30T10:00:00Z', title: 5, readOnlyHint: 'yes' },
    [{ src: 5 }, { src: 'https://a/i.png', theme: 'blue', sizes: '48x48' }],
    [{ name: 5 }, { name: 'fine', required: 'yes', description: null }],
    { taskSupport: 'sometimes' },
    nested(100),
  ),
)

function nested(levels: number): Body {
  let schema: Body = { type: 'object' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', allOf: [schema] }
  return schema
}

const MEMBERS = [
  'name',
  'title',
  'uri',
  'uriTemplate',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  'execution',
]
const MORE = ['arguments', 'mimeType', 'size', '_meta']

/** Something like a definition, with some of its members lost or replaced; or nothing like one. */
const bad = (good: Body): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: junk },
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.dictionary(fc.constantFrom(...MEMBERS, ...MORE), junk, { maxKeys: 4 }),
          fc.subarray(Object.keys(good), { maxLength: 1 }),
        )
        .map(([changed, lost]) =>
          Object.fromEntries(
            Object.entries({ ...good, ...changed }).filter(([name]) => !lost.includes(name) || name in changed),
          ),
        ),
    },
  )

const CLIENTS: readonly PublishedVersion[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const SERVERS: readonly ProtocolVersion[] = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28']

interface Said {
  readonly log: GatewayLog
  readonly lines: string[]
}

function logged(): Said {
  const lines: string[] = []
  return { log: collectingLog(lines), lines }
}

async function withClients(
  at: Acceptor,
  check: (client: PublishedClient, version: PublishedVersion) => Promise<void>,
): Promise<void> {
  for (const version of CLIENTS) {
    const client = await publishedClient(version, at)
    try {
      await check(client, version)
    } finally {
      await client.close()
    }
  }
}

describe('one server harms no other', () => {
  it.each(KINDS)('with $method', { timeout: 60_000 }, async (kind) => {
    const { method, field, key, good, read } = kind
    const other = { ...good, [key]: key === 'name' ? 'other' : String(good[key]).replace('good', 'other') }
    const property = fc.asyncProperty(
      fc.array(bad(good), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...SERVERS),
      async (definitions, version) => {
        const { log, lines } = logged()
        const leftOut = new RegExp(`bad: ${method}: .*left out`)
        const own = (items: readonly unknown[]): Acceptor =>
          rawServer({
            version,
            capabilities: CAPABILITIES,
            answer: (asked) =>
              asked === method
                ? listed(version, field, items)
                : listed(version, KINDS.find((each) => each.method === asked)?.field ?? '', []),
          })
        const rig = new AggregateRig(
          { bad: { server: own([...definitions, good]) }, fine: { server: own([other]) } },
          { log },
        )
        try {
          const keys = async (client: PublishedClient): Promise<unknown[]> =>
            (await read(client)).map((item) => item[key])
          await withClients(rig.aggregate as Acceptor, async (client) => {
            const shown = await keys(client)
            const names = key === 'name' ? ['bad__good', 'fine__other'] : [good[key], other[key]]
            expect(shown.filter((name) => names.includes(name as never)).slice(-2)).toEqual(names)
          })
          await withClients(rig.addresses.get('bad') as unknown as Acceptor, async (client) => {
            const shown = await keys(client)
            expect(shown.at(-1)).toBe(good[key])
            if (shown.length <= definitions.length) expect(lines.join('\n')).toMatch(leftOut)
          })
          await withClients(rig.addresses.get('fine') as unknown as Acceptor, async (client) => {
            expect(await keys(client)).toEqual([other[key]])
          })
          const missing = definitions.filter((each) => typeof (each as Body | null)?.[key] !== 'string')
          if (missing.length > 0) expect(lines.join('\n')).toMatch(leftOut)
          expect(lines.filter((line) => line.startsWith('fine:'))).toEqual([])
        } finally {
          await rig.close()
        }
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })
})

describe('what is wrong with a list', () => {
  const tool = { name: 'good', inputSchema: { type: 'object' } }

  function served(
    version: ProtocolVersion,
    answers: Record<string, () => RawAnswer>,
  ): { rig: AggregateRig; lines: string[] } {
    const { log, lines } = logged()
    const server = rawServer({
      version,
      capabilities: CAPABILITIES,
      answer: (method) => answers[method]?.() ?? { error: { code: -32601, message: 'Method not found' } },
    })
    return { rig: new AggregateRig({ raw: { server } }, { log }), lines }
  }

  it('is said once, until something else is', async () => {
    let tools: unknown[] = [{ name: 'untyped', inputSchema: {} }, { name: 'odd', inputSchema: 7 }, tool]
    const { rig, lines } = served('2025-06-18', { 'tools/list': () => listed('2025-06-18', 'tools', tools) })
    const client = await rig.connect()
    for (let count = 0; count < 3; count++) await client.listTools()
    expect(lines).toEqual([
      'raw: tools/list: tool "untyped" was mended: it has an "inputSchema" without "type": "object"',
      'raw: tools/list: tool "odd" is left out, because clients would refuse the whole list: it has an "inputSchema" that is no object',
    ])
    tools = [tool]
    await client.listTools({ fresh: true })
    tools = [{ name: 'untyped', inputSchema: {} }, { name: 'other' }, tool]
    await client.listTools({ fresh: true })
    expect(lines.slice(2)).toEqual([
      'raw: tools/list: tool "untyped" was mended: it has an "inputSchema" without "type": "object"',
      'raw: tools/list: tool "other" was mended: it has no "inputSchema"',
    ])
    await rig.close()
  })

  it.each(['2025-11-25', '2026-07-28'] as const)('of a server of %s is told as a loss', async (version) => {
    const { rig } = served(version, {
      'tools/list': () => listed(version, 'tools', [{ name: 'odd', inputSchema: 7 }, tool]),
    })
    const at = rig.addresses.get('raw') as unknown as Acceptor
    for (const spoken of ['2025-11-25', '2026-07-28'] as const) {
      const client = await connect(at, { version: spoken })
      const result = await client.request('tools/list', { _meta: { 'dev.parley/translation': true } } as never)
      expect((result['_meta'] as Body)['dev.parley/translation']).toContainEqual(
        expect.objectContaining({ rule: 'R-01', path: 'tools[0]', loss: 'w' }),
      )
      await client.close()
    }
    await rig.close()
  })

  it.each(SERVERS)('that a server of %s declares and does not know is that it is empty', async (version) => {
    const { rig, lines } = served(version, {
      'tools/list': () => listed(version, 'tools', [tool]),
      'resources/list': () => ({ result: {} }),
    })
    for (const at of [rig.aggregate, rig.addresses.get('raw')] as unknown as Acceptor[]) {
      await withClients(at, async (client) => {
        const resources = (await client.listResources()).resources.filter(({ uri }) => uri !== 'parley://status')
        expect([
          resources,
          (await client.listResourceTemplates()).resourceTemplates,
          (await client.listPrompts()).prompts,
        ]).toEqual([[], [], []])
      })
    }
    expect(lines).toEqual(['raw: resources/list: the list was mended: it has no "resources"'])
    await rig.close()
  })
})

/**
 * Results are written again in the words they came in, so nobody between the server and the client may change one in
 * place.
 */
import { type ProtocolVersion, versions } from 'parley-mcp'
import type { Body, Link, LinkEvents } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { REPORT_KEY } from '../../calls/report.ts'
import type { ServerConfig } from '../../config/index.ts'
import { toolDefaults } from '../../config/settings/defaults.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { scripted } from './peers.fixtures.ts'

let rig: BridgeRig | undefined
afterEach(async () => await rig?.close())

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** Whoever tries to change something in a result fails, and says so. */
function freezing(link: Link): Link {
  const open = link.open.bind(link)
  const read = (text: string) => {
    const message = JSON.parse(text)
    return Object.hasOwn(message, 'result') ? ({ kind: 'result', message: frozen(message) } as const) : undefined
  }
  link.open = (events: LinkEvents) =>
    open({ ...events, frame: (text, _, origin) => events.frame(text, read(text), origin) })
  return link
}

const long = 'x'.repeat(600)
const RESULTS: Readonly<Record<string, Body>> = {
  'tools/list': {
    tools: [
      {
        name: 'one',
        title: long,
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        icons: [],
        annotations: { title: 'One' },
      },
    ],
  },
  'tools/call': {
    content: [
      { type: 'text', text: long, annotations: { lastModified: '2026-01-01T00:00:00Z' } },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'a://x', name: 'x', size: 3 },
    ],
    structuredContent: { a: [1] },
    _meta: { 'com.example/own': { deep: [1] } },
  },
  'resources/list': { resources: [{ uri: 'a://x', name: 'x', title: long }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'x', title: long }] },
  'resources/read': { contents: [{ uri: 'a://x', text: long, _meta: { a: 1 } }] },
  'prompts/list': { prompts: [{ name: 'p', title: long, arguments: [{ name: 'a', title: 'A' }] }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'resource_link', uri: 'a://x', name: long } }] },
}
const PARAMS: Readonly<Record<string, Body>> = {
  'tools/call': { name: 'one', arguments: {} },
  'resources/read': { uri: 'a://x' },
  'prompts/get': { name: 'p' },
}
const settings: [string, Partial<ServerConfig>][] = [
  ['as they come', {}],
  ['chosen and renamed', { tools: { ...toolDefaults, deny: ['secret'], rename: { two: 'zwei' } } }],
]

const pairs = versions.flatMap((client) =>
  versions.map((server): [ProtocolVersion, ProtocolVersion] => [client, server]),
)

describe.each(settings)('X1 results, %s', (_, config) => {
  it.each(pairs)('to a client of %s from a server of %s are changed by nobody', async (spoken, version) => {
    const answer = ({ method }: { method: string }): Body => RESULTS[method] as Body
    rig = bridgeTo(scripted({ version, answer }), undefined, config, { wrap: freezing })
    const client = await rig.connect({ versions: [spoken] })
    for (const method of Object.keys(RESULTS))
      for (const more of [{}, { _meta: { [REPORT_KEY]: true } }])
        expect(await client.request(method, { ...PARAMS[method], ...more })).toBeTypeOf('object')
    await client.close()
  })
})

/** G: of several servers with one URI the first in the configuration answers, in whatever order their lists were read. */
import type { Body, Clock } from 'parley-mcp/engine'
import { fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type RawClient, type ScriptedServer, scripted } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

let rig: AggregateRig
afterEach(() => rig.close())

interface Offered {
  /** Pages of URIs. */
  readonly listed?: readonly (readonly string[])[]
  readonly templates?: readonly string[]
}

/** Each of its texts contains its name. */
function offering(self: string, { listed = [[]], templates = [] }: Offered): ScriptedServer {
  return scripted({
    version: '2025-06-18',
    capabilities: { resources: {} },
    answer: ({ method, params }): Body => {
      if (method === 'resources/templates/list')
        return { resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: self })) }
      if (method === 'resources/read') return { contents: [{ uri: String(params['uri']), text: self }] }
      const at = Number(params['cursor'] ?? 0)
      const resources = (listed[at] ?? []).map((uri) => ({ uri, name: self }))
      return at + 1 < listed.length ? { resources, nextCursor: String(at + 1) } : { resources }
    },
  })
}

async function clientOf(
  members: Record<string, RigServer>,
  warnings: string[] = [],
  clock?: Clock,
): Promise<RawClient> {
  const log = { error() {}, warning: (message: string) => void warnings.push(message), info() {}, debug() {} } as never
  rig = new AggregateRig(members, { log, ...(clock && { clock }) })
  const raw = rig.raw()
  await raw.shakeHands('2025-06-18')
  return raw
}

const readerOf = async (raw: RawClient, uri: string): Promise<unknown> =>
  ((await raw.request('resources/read', { uri })).result?.['contents'] as Body[] | undefined)?.[0]?.['text']

async function listed(raw: RawClient): Promise<string[]> {
  const { result = {} } = await raw.request('resources/list')
  return (result['resources'] as { uri: string }[]).map(({ uri }) => uri).filter((uri) => uri !== 'parley://status')
}

const WRAPPED = 'parley://servers/second/note%3A%2F%2F1'

describe('G a URI that an earlier server has a template for and a later one lists', () => {
  const members = (): Record<string, RigServer> => ({
    first: { server: offering('first', { templates: ['note://{id}'] }) },
    second: { server: offering('second', { listed: [['note://1', 'other://1']], templates: ['note://1{?x}'] }) },
  })

  it('is the earlier one’s in the first list already; the later one’s can be read in another form', async () => {
    const raw = await clientOf(members())
    expect(await listed(raw)).toEqual([WRAPPED, 'other://1'])
    expect([await readerOf(raw, 'note://1'), await readerOf(raw, WRAPPED), await readerOf(raw, 'other://1')]).toEqual([
      'first',
      'second',
      'second',
    ])
  })

  it('is the earlier one’s for a client that has read no list', async () => {
    expect(await readerOf(await clientOf(members()), 'note://1')).toBe('first')
  })

  it('is the earlier one’s when that one has come later', async () => {
    const { first, second } = members()
    const raw = await clientOf({ second: second as RigServer })
    expect([await listed(raw), await readerOf(raw, 'note://1')]).toEqual([['note://1', 'other://1'], 'second'])
    // In the order of the configuration it comes first now.
    const standing = rig.addresses.get('second')
    rig.addresses.clear()
    rig.replace({ first: first as RigServer })
    if (standing !== undefined) rig.addresses.set('second', standing)
    rig.replace({})
    await rig.upstream('first').gatewayConversation()
    expect(await readerOf(raw, 'note://1')).toBe('first')
    expect(await listed(raw)).toEqual([WRAPPED, 'other://1'])
  })

  it('is said once in the log, however often it is listed', async () => {
    const warnings: string[] = []
    const raw = await clientOf(members(), warnings)
    for (let count = 0; count < 3; count++) await listed(raw)
    await raw.request('resources/templates/list')
    expect(warnings.filter((warning) => warning.includes('offered by'))).toEqual([
      expect.stringMatching(/^second: note:\/\/1.*offered by first, too/),
    ])
  })
})

describe('G the contents of a resource', () => {
  const members = (): Record<string, RigServer> => {
    const parts = (uri: string): Body => ({
      contents: [uri, `${uri}/part`, 'note://other'].map((each) => ({ uri: each, text: each })),
    })
    const answer = ({ method, params }: { method: string; params: Body }): Body => {
      if (method === 'resources/read') return parts(String(params['uri']))
      return method === 'resources/list'
        ? { resources: [] }
        : { resourceTemplates: [{ uriTemplate: 'note://{+id}', name: 'notes' }] }
    }
    const server = (): ScriptedServer => scripted({ version: '2025-06-18', capabilities: { resources: {} }, answer })
    return { first: { server: server() }, second: { server: server() } }
  }

  it.each([
    ['note://7', 'note://7/part', 'note://other'],
    ['parley://servers/first/note%3A%2F%2F7', 'note://7/part', 'note://other'],
    [
      'parley://servers/second/note%3A%2F%2F7',
      'parley://servers/second/note%3A%2F%2F7%2Fpart',
      'parley://servers/second/note%3A%2F%2Fother',
    ],
    [
      'parley://templates/second/note://7',
      'parley://servers/second/note%3A%2F%2F7%2Fpart',
      'parley://servers/second/note%3A%2F%2Fother',
    ],
  ])('are called what they were asked for, and what else comes is called what leads to it: %s', async (...uris) => {
    const [uri] = uris
    const raw = await clientOf(members())
    await raw.request('resources/templates/list')
    for (const { result = {} } of [
      await raw.request('resources/read', { uri }),
      await rig.raw().ask('resources/read', { uri }),
    ]) {
      expect((result['contents'] as Body[]).map((each) => each['uri'])).toEqual(uris)
    }
  })
})

describe('G a list of several pages that is read anew', () => {
  it('leaves nothing of its later pages to other servers meanwhile; when it was read to its end, what is gone is gone', async () => {
    const full = (page: string): string[] => Array.from({ length: 200 }, (_, at) => `note://${page}/${at}`)
    const pages = [full('a'), full('b'), ['note://1']]
    const clock = fakeClock()
    const members = {
      first: { server: offering('first', { listed: pages }) },
      second: { server: offering('second', { listed: [['note://1']] }) },
    }
    const raw = await clientOf(members, [], clock)
    expect(await readerOf(raw, 'note://1')).toBe('first')
    expect(await listed(raw)).toHaveLength(200)
    expect(await readerOf(raw, 'note://1')).toBe('first')
    pages[2] = []
    // What was read just now is not read again.
    await clock.advance(5001)
    let cursor: unknown
    do {
      const { result } = await raw.request('resources/list', cursor === undefined ? {} : { cursor })
      cursor = result?.['nextCursor']
    } while (cursor !== undefined)
    expect(await readerOf(raw, 'note://1')).toBe('second')
  })
})

describe('G a first server that says nothing of its templates', () => {
  it('delays those after it once, by 5 s', async () => {
    const clock = fakeClock()
    const mute = scripted({
      version: '2025-06-18',
      capabilities: { resources: {} },
      answer: ({ method }) => (method === 'resources/list' ? { resources: [] } : new Promise(() => {})),
    })
    rig = new AggregateRig(
      { mute: { server: mute }, second: { server: offering('second', { listed: [['note://1']] }) } },
      { clock },
    )
    const raw = rig.raw()
    await raw.shakeHands('2025-06-18')
    let isGiven = false
    const listing = listed(raw).finally(() => (isGiven = true))
    for (let round = 0; round < 20; round++) await flush()
    await clock.advance(4999)
    expect(isGiven).toBe(false)
    await clock.advance(1)
    expect(await listing).toEqual(['note://1'])
    expect(await readerOf(raw, 'note://1')).toBe('second')
    expect(await listed(raw)).toEqual(['note://1'])
    expect(mute.asked.filter(({ method }) => method === 'resources/templates/list')).toHaveLength(1)
  })
})

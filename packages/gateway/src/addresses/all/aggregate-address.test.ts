import { eraOf, versions } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { type Body, type Inbound, META } from 'parley-mcp/engine'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scripted } from '../server/peers.fixtures.ts'
import { AggregateRig, notesServer } from './aggregate.fixtures.ts'

const MODERN = '2026-07-28'
let rig: AggregateRig
afterEach(() => rig.close())

/** One server of each version, small pages. */
function everyServer(): AggregateRig {
  rig = new AggregateRig(
    Object.fromEntries(
      versions.map((version) => [`s${version}`, { server: notesServer(`s${version}`, { pageSize: 2 }), version }]),
    ),
  )
  return rig
}

const NAMES = versions.map((version) => `s${version}`)
const TOOLS = ['who', 'greet', 'links', 'ask', 'think', 'look', 'count', 'wait', 'later', 'touch', 'grow']

describe.each(versions)('G all servers at one address, for a client of %s', (version) => {
  it('names: lists of all in pages; calls, prompts, reads and completion find their server', async () => {
    const client = await everyServer().connect({ version })
    expect(client.version).toBe(version)
    const tools = (await client.tools()).map(({ name }) => name)
    expect(tools).toEqual(NAMES.flatMap((server) => TOOLS.map((name) => `${server}__${name}`)))
    expect((await client.prompts()).map(({ name }) => name)).toEqual(NAMES.map((server) => `${server}__hi`))
    for (const server of NAMES) {
      expect((await client.call(`${server}__greet`, { name: 'Ann' })).text).toBe(`${server} greets Ann`)
      expect((await client.prompt(`${server}__hi`)).messages[0]).toMatchObject({
        content: { text: `Hi from ${server}` },
      })
      expect((await client.complete({ prompt: `${server}__hi` }, { name: 'tone', value: 'x' })).values).toEqual([
        `x-${server}`,
      ])
    }
  })

  it('resources: what several have under one URI stays apart, links and embedded resources can be read', async () => {
    const client = await everyServer().connect({ version })
    const resources = await client.resources()
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(1 + 2 * NAMES.length)
    const texts = await Promise.all(
      resources.slice(1).map(async ({ uri }) => [uri, (await client.read(uri)).contents[0]] as const),
    )
    expect(texts.map(([, contents]) => (contents as { text: string }).text).sort()).toEqual(
      NAMES.flatMap((server) => [`the same of ${server}`, `the own of ${server}`]).sort(),
    )
    for (const [uri, contents] of texts) expect(contents?.uri).toBe(uri)
    for (const server of NAMES) {
      const { content } = await client.call(`${server}__links`)
      for (const uri of mentioned(content)) expect(textOf(await client.read(uri))).toContain(server)
      const { messages } = await client.prompt(`${server}__hi`)
      for (const uri of mentioned(messages.map(({ content: block }) => block)))
        expect(textOf(await client.read(uri))).toBe(`the same of ${server}`)
    }
  })

  it('templates: each leads to its server, filled in or asked about', async () => {
    const client = await everyServer().connect({ version })
    const templates = (await client.templates()).map(({ uriTemplate }) => uriTemplate)
    expect(new Set(templates).size).toBe(NAMES.length)
    const pages = await Promise.all(
      templates.map(async (template) => textOf(await client.read(template.replace('{page}', '7')))),
    )
    expect(pages.sort()).toEqual(NAMES.map((server) => `page 7 of ${server}`).sort())
    const values = await Promise.all(
      templates.map(
        async (template) => (await client.complete({ resource: template }, { name: 'page', value: 'p' })).values[0],
      ),
    )
    expect(values.sort()).toEqual(NAMES.map((server) => `p-${server}`).sort())
  })

  it('introduces itself with the capabilities and instructions of all', async () => {
    const client = await everyServer().connect({ version })
    for (const server of NAMES) expect(client.instructions).toContain(`## ${server}\n\nBe kind to ${server}`)
    expect(client.capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    })
  })

  it('says clearly what it does not have', async () => {
    const client = await everyServer().connect({ version })
    await expect(client.call('nobody__who')).rejects.toMatchObject({
      receivedCode: -32602,
      message: expect.stringContaining('nobody__who'),
    })
    await expect(client.call('who')).rejects.toMatchObject({
      receivedCode: -32602,
      message: expect.stringContaining('<server>__<name>'),
    })
    await expect(client.call(`${NAMES[0]}__nothing`)).rejects.toMatchObject({ receivedCode: -32602 })
    await expect(client.prompt('nobody__hi')).rejects.toMatchObject({ receivedCode: -32602 })
    const missing = eraOf(version) === 'stateless' ? -32602 : -32002
    await expect(client.read('nobody://has/it')).rejects.toMatchObject({
      receivedCode: missing,
      message: expect.stringContaining('nobody://has/it'),
    })
    await expect(client.read('parley://servers/gone/x')).rejects.toMatchObject({ receivedCode: missing })
    await expect(client.request('acme/own', {})).rejects.toMatchObject({
      receivedCode: -32601,
      message: expect.stringContaining('/servers/NAME/mcp'),
    })
    await expect(client.request('tools/list', { cursor: 'none' })).rejects.toMatchObject({ receivedCode: -32602 })
  })

  it('carries progress and cancellation', async () => {
    const client = await everyServer().connect({ version })
    for (const server of NAMES) {
      const seen: unknown[] = []
      await client.call(`${server}__count`, {}, { onProgress: ({ progress, total }) => seen.push([progress, total]) })
      expect(seen).toEqual([
        [1, 2],
        [2, 2],
      ])
      const controller = new AbortController()
      const waiting = client.call(`${server}__wait`, {}, { signal: controller.signal })
      await vi.waitFor(() => expect(rig.upstream(server).bulkhead.stats().running).toBe(1))
      controller.abort()
      await expect(waiting).rejects.toThrow()
      await vi.waitFor(() => expect(rig.upstream(server).bulkhead.stats().running).toBe(0))
    }
  })

  it('hands on what else is said with progress', async () => {
    const more = { _meta: { 'x/y': [1] }, future: { deep: true } }
    const answer = (inbound: Inbound): Body => {
      if (inbound.method !== 'tools/call') return { tools: [{ name: 'go', inputSchema: { type: 'object' } }] }
      inbound.progress(1, 2, undefined, more)
      return { content: [] }
    }
    rig = new AggregateRig(
      Object.fromEntries(
        versions.map((each) => [`s${each}`, { server: scripted({ version: each, answer }), version: each }]),
      ),
    )
    const client = await rig.connect({ version })
    for (const server of NAMES) {
      const seen: unknown[] = []
      await client.call(`${server}__go`, {}, { onProgress: (progress) => seen.push(progress) })
      expect(seen).toEqual([{ progress: 1, total: 2, more }])
    }
  })

  it('log messages say which server they come from, at the level the client wants', async () => {
    const client = await everyServer().connect({ version })
    const messages: unknown[] = []
    client.onLog((message) => messages.push(message))
    await client.call(`${NAMES[0]}__who`)
    await client.setLogLevel('info')
    for (const server of NAMES) await client.call(`${server}__count`)
    const wanted = NAMES.map((server) => ({ level: 'info', logger: `${server}/counter`, data: { counted: 1 } }))
    await vi.waitFor(() => expect(messages).toEqual(wanted.map((each) => expect.objectContaining(each))))
  })

  it('what translation lost is told where it is asked for (X2)', async () => {
    const client = await everyServer().connect({ version })
    for (const server of NAMES) {
      const { _meta, content } = (await client.request('tools/call', {
        name: `${server}__links`,
        arguments: {},
        _meta: { 'dev.parley/translation': true },
      })) as never as {
        _meta: Record<string, unknown>
        content: unknown[]
      }
      // Nothing is translated between two of the newest version.
      if (version !== MODERN || server !== `s${MODERN}`)
        expect(_meta['dev.parley/translation']).toEqual(expect.any(Array))
      for (const uri of mentioned(content)) expect(textOf(await client.read(uri))).toContain(server)
    }
    const { _meta } = await client.request('tools/list', { _meta: { 'dev.parley/translation': true } })
    expect((_meta as Record<string, unknown>)['dev.parley/translation']).toEqual(expect.any(Array))
  })
})

describe.each(versions)('G a client of %s is told', (version) => {
  it('of changes of resources, under the URIs it knows', async () => {
    const client = await everyServer().connect({ version })
    const uris = (await client.resources()).map(({ uri }) => uri).slice(1)
    const changed = new Set<string>()
    const subscriptions = await Promise.all(uris.map((uri) => client.subscribe(uri, (each) => changed.add(each))))
    for (const server of NAMES) await client.call(`${server}__touch`)
    await vi.waitFor(() => expect([...changed].sort()).toEqual([...uris].sort()))
    await Promise.all(subscriptions.map((subscription) => subscription.unsubscribe()))
  })

  it('of lists that change, once for many changes, and sees them', async () => {
    const client = await everyServer().connect({ version })
    await client.tools()
    let told = 0
    client.onListChanged('tools', () => told++)
    let prompts = 0
    client.onListChanged('prompts', () => prompts++)
    if (eraOf(version) === 'stateless') await client.subscribe('parley://status', () => {})
    for (const server of NAMES) await client.call(`${server}__grow`)
    await vi.waitFor(() => expect(told).toBeGreaterThan(0))
    const tools = (await client.tools()).map(({ name }) => name)
    for (const server of NAMES) {
      expect(tools).toContain(`${server}__grown`)
      expect((await client.call(`${server}__grown`)).text).toBe(`grown at ${server}`)
    }
    expect(prompts).toBe(0)
  })

  it('of how the servers are: parley://status', async () => {
    const client = await everyServer().connect({ version })
    const { servers } = await status(client)
    expect(servers.map(({ name, state, protocolVersion, era }) => [name, state, protocolVersion, era])).toEqual(
      versions.map((each) => [`s${each}`, 'running', each, eraOf(each)]),
    )
    const updates: string[] = []
    const subscription = await client.subscribe('parley://status', (uri) => updates.push(uri))
    await rig.upstream(NAMES[0] as string).supervisor.stop()
    await vi.waitFor(() => expect(updates).toContain('parley://status'))
    expect((await status(client)).servers[0]?.state).toBe('stopped')
    await subscription.unsubscribe()
  })
})

const asking = versions.filter((version) => version >= '2025-06-18')
describe.each(asking)('G a client of %s is asked through the aggregate', (version) => {
  it.each(asking)('by a server of %s: forms, thoughts and roots', async (of) => {
    const server = `s${of}`
    const client = await everyServer().connect({
      version,
      elicit: () => ({ action: 'accept', content: { name: 'Bea' } }) as never,
      sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm' }) as never,
      roots: [{ uri: 'file:///home' }],
    })
    expect((await client.call(`${server}__ask`)).text).toBe(`${server} heard Bea`)
    expect((await client.call(`${server}__think`)).text).toContain('hm')
    expect((await client.call(`${server}__look`)).text).toBe(`${server} sees file:///home`)
  })
})

describe('G requests without a session', () => {
  it('server/discover shows what servers have as soon as they come, and the same while nothing changes', async () => {
    rig = new AggregateRig({ a: { server: notesServer('a'), version: MODERN } })
    const raw = rig.raw()
    const first = (await raw.ask('server/discover')).result
    expect(first).toMatchObject({ instructions: expect.stringContaining('Be kind to a') })
    expect((await raw.ask('server/discover')).result).toEqual(first)
    rig.replace({ b: { server: notesServer('b'), version: '2025-03-26' } })
    await rig.upstream('b').gatewayConversation()
    expect((await raw.ask('server/discover')).result).toMatchObject({
      instructions: expect.stringContaining('Be kind to b'),
    })
    rig.replace({}, ['a'])
    expect(JSON.stringify((await raw.ask('server/discover')).result)).not.toContain('Be kind to a')
  })

  it('listens to status and resources of several servers on one stream', async () => {
    rig = new AggregateRig({
      a: { server: notesServer('a'), version: MODERN },
      b: { server: notesServer('b'), version: '2025-06-18' },
    })
    const raw = rig.raw()
    const wanted = {
      toolsListChanged: true,
      resourceSubscriptions: ['parley://status', 'note://a', 'note://b', 'nobody://here'],
    }
    const id = raw.nextId
    void raw.ask('subscriptions/listen', { notifications: wanted })
    const { params } = await raw.next('notifications/subscriptions/acknowledged')
    expect(params?.['notifications']).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['parley://status', 'note://a', 'note://b'],
    })
    await raw.ask('tools/call', { name: 'a__touch', arguments: {} })
    const { params: updated } = await raw.next('notifications/resources/updated')
    expect(updated).toMatchObject({ uri: 'note://a', _meta: { [META.subscription]: id } })
  })
})

function mentioned(content: readonly unknown[]): string[] {
  return (content as { type: string; uri?: string; resource?: { uri: string } }[]).flatMap(
    ({ uri, resource }) => uri ?? resource?.uri ?? [],
  )
}

function textOf({ contents }: { contents: readonly unknown[] }): string {
  return (contents[0] as { text: string }).text
}

async function status(
  client: Client,
): Promise<{ servers: { name: string; state: string; protocolVersion: string; era: string }[] }> {
  return JSON.parse(textOf(await client.read('parley://status')))
}

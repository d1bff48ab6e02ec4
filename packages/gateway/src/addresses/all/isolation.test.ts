/** G: one slow, broken or silent server never delays or harms the others. */
import { ParleyError } from 'parley-mcp'
import type { Acceptor, Body, Link } from 'parley-mcp/engine'
import { createServer, resource, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RawClient, scripted, text, textOf } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

let rig: AggregateRig
let clock: FakeClock
afterEach(() => rig.close())

const small = (self: string) =>
  createServer({ name: self, version: '1' }).add(
    tool('who', {}, () => self),
    resource(`note://${self}`, {}, () => self),
  )

function rigOf(members: Record<string, RigServer>): AggregateRig {
  clock = fakeClock()
  rig = new AggregateRig(members, { clock })
  return rig
}

async function handshake(): Promise<RawClient> {
  const raw = rig.raw()
  await raw.shakeHands('2025-06-18')
  return raw
}

/** Whether it is there without the clock having moved. */
async function atOnce<T>(promise: Promise<T>): Promise<T> {
  const late = Symbol('late')
  for (let round = 0; round < 50; round++) {
    const outcome = await Promise.race([promise, flush().then(() => late)])
    if (outcome !== late) return outcome as T
  }
  throw new Error('It waited for the clock')
}

/** Lets everything happen that can happen now, and then the time go by. */
async function pass(ms: number): Promise<void> {
  for (let round = 0; round < 10; round++) await flush()
  await clock.advance(ms)
}

const names = ({ result }: { result?: Body }): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
const refused = async (): Promise<void> => {
  throw new ParleyError('refusal_unavailable', { message: 'nobody is there' })
}

describe('G a server that takes its time to start', () => {
  it('is waited for 3 s, once; later clients do not wait, and when it comes it is announced', async () => {
    let start: () => void = () => {}
    const before = (): Promise<void> => new Promise((resolve) => (start = resolve))
    rigOf({ quick: { server: small('quick') }, slow: { server: small('slow'), before } })
    const raw = rig.raw()
    const shaking = raw.shakeHands('2025-06-18')
    await pass(2999)
    expect(raw.received).toEqual([])
    await pass(1)
    await shaking
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who'])
    expect(names(await atOnce((await atOnce(handshake())).request('tools/list')))).toEqual(['quick__who'])
    expect(raw.of('notifications/tools/list_changed')).toEqual([])
    start()
    await flush()
    await pass(100)
    expect(raw.of('notifications/tools/list_changed')).toHaveLength(1)
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who', 'slow__who'])
  })

  it('delays no client again when other servers come or go', async () => {
    rigOf({ quick: { server: small('quick') }, dead: {} })
    const shaking = handshake()
    await pass(3000)
    await shaking
    rig.replace({ third: { server: small('third') } })
    await atOnce(rig.upstream('third').gatewayConversation())
    const raw = await atOnce(handshake())
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who', 'third__who'])
  })

  it('answers discovery and calls of the others meanwhile', async () => {
    rigOf({ quick: { server: small('quick'), version: '2026-07-28' }, dead: {} })
    const raw = rig.raw()
    const asking = raw.ask('server/discover')
    await pass(3000)
    expect((await asking).result).toBeDefined()
    expect((await atOnce(raw.ask('tools/call', { name: 'quick__who', arguments: {} }))).result).toMatchObject({
      content: [{ text: 'quick' }],
    })
  })
})

describe('G a server that does not answer', () => {
  const quick = (): RigServer => ({ server: small('quick'), version: '2026-07-28' })

  it('delays no call, and no resource of a server before it, when the gateway has just been started', async () => {
    rigOf({ quick: quick(), dead: {} })
    const raw = rig.raw()
    expect(textOf(await atOnce(raw.ask('tools/call', { name: 'quick__who', arguments: {} })))).toBe('quick')
    expect((await atOnce(raw.ask('resources/read', { uri: 'note://quick' }))).result).toMatchObject({
      contents: [{ text: 'quick' }],
    })
    expect(
      (await atOnce(raw.ask('resources/read', { uri: 'parley://servers/quick/note%3A%2F%2Fquick' }))).result,
    ).toBeDefined()
  })

  it('delays what might be its own by 3 s then, once', async () => {
    rigOf({ dead: {}, quick: quick() })
    const raw = rig.raw()
    const reading = raw.ask('resources/read', { uri: 'note://quick' })
    await pass(2999)
    expect(raw.received).toEqual([])
    await pass(1)
    expect((await atOnce(reading)).result).toMatchObject({ contents: [{ text: 'quick' }] })
    expect((await atOnce(raw.ask('resources/read', { uri: 'note://quick' }))).result).toBeDefined()
    expect(names(await atOnce(raw.ask('tools/list')))).toEqual(['quick__who'])
  })

  it.each([false, true])('delays nothing when it is added later, lazy %s', async (lazy) => {
    rigOf({ quick: quick() })
    const raw = rig.raw()
    await atOnce(raw.ask('server/discover'))
    rig.replace({ dead: { config: { lazy } } })
    expect((await atOnce(raw.ask('server/discover'))).result).toBeDefined()
    expect(textOf(await atOnce(raw.ask('tools/call', { name: 'quick__who', arguments: {} })))).toBe('quick')
    expect((await atOnce(raw.ask('resources/read', { uri: 'note://quick' }))).result).toBeDefined()
    expect(names(await atOnce(raw.ask('tools/list')))).toEqual(['quick__who'])
    expect((await atOnce(raw.ask('resources/list'))).result).toBeDefined()
    expect(names(await atOnce((await atOnce(handshake())).request('tools/list')))).toEqual(['quick__who'])
  })
})

describe('G a lazy server', () => {
  it('is not started by clients that come, but by those that need its lists', async () => {
    let starts = 0
    const before = async (): Promise<void> => void starts++
    rigOf({ lazy: { server: small('lazy'), before, config: { lazy: true } } })
    const raw = await atOnce(handshake())
    expect(starts).toBe(0)
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['lazy__who'])
    expect(starts).toBe(1)
  })

  it('is started by a call', async () => {
    rigOf({ lazy: { server: small('lazy'), config: { lazy: true } } })
    const raw = await atOnce(handshake())
    expect((await atOnce(raw.request('tools/call', { name: 'lazy__who', arguments: {} }))).result).toMatchObject({
      content: [{ text: 'lazy' }],
    })
  })

  it('that cannot be reached delays lists of all kinds once, by 5 s', async () => {
    rigOf({ quick: { server: small('quick') }, lazy: { config: { lazy: true } } })
    const raw = await atOnce(handshake())
    const listing = raw.request('tools/list')
    await pass(5000)
    expect(names(await listing)).toEqual(['quick__who'])
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who'])
    expect((await atOnce(raw.request('resources/list'))).result).toMatchObject({
      resources: [{ uri: 'parley://status' }, { uri: 'note://quick' }],
    })
  })
})

describe('G a server that breaks', () => {
  it('that is down is told so to who calls it, and missing in lists; the others are as ever', async () => {
    rigOf({
      quick: { server: small('quick') },
      down: { before: refused, config: { restart: { policy: 'permanent', maxRestarts: 0, within: 1000 } } },
    })
    const raw = await atOnce(handshake())
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who'])
    const { error } = await atOnce(raw.request('tools/call', { name: 'down__who', arguments: {} }))
    expect(error?.message).toContain('down')
    const { result = {} } = await atOnce(raw.request('resources/read', { uri: 'parley://status' }))
    const [{ text: status }] = result['contents'] as [{ text: string }]
    expect(JSON.parse(status).servers).toMatchObject([
      { name: 'quick', state: 'running' },
      { name: 'down', state: 'down', lastError: expect.stringContaining('nobody is there') },
    ])
  })

  it('that stops answering lists is shown as it was last; it is waited for once, and its tools can still be called', async () => {
    let silent = false
    const tools = (...own: string[]): Body => ({
      tools: own.map((name) => ({ name, inputSchema: { type: 'object' } })),
    })
    const moody = scripted({
      version: '2025-06-18',
      capabilities: { tools: {} },
      answer: ({ method }) => (method !== 'tools/list' ? text('alive') : silent ? new Promise(() => {}) : tools('one')),
    })
    rigOf({ quick: { server: small('quick') }, moody: { server: moody } })
    const raw = await atOnce(handshake())
    expect(names(await atOnce(raw.request('tools/list')))).toEqual(['quick__who', 'moody__one'])
    silent = true
    const listing = raw.request('tools/list')
    await pass(5000)
    expect(names(await listing)).toEqual(['quick__who', 'moody__one'])
    const again = raw.request('tools/list')
    await pass(250)
    expect(names(await atOnce(again))).toEqual(['quick__who', 'moody__one'])
    expect((await atOnce(raw.request('tools/call', { name: 'moody__one', arguments: {} }))).result).toMatchObject({
      content: [{ text: 'alive' }],
    })
  })

  it('that never answers about its resources does not hold up reading those of others, nor the refusal of what nobody has', async () => {
    const mute = scripted({
      version: '2025-06-18',
      capabilities: { resources: {} },
      answer: () => new Promise(() => {}),
    })
    rigOf({ quick: { server: small('quick') }, mute: { server: mute } })
    const raw = await atOnce(handshake())
    const refusal = raw.request('resources/read', { uri: 'nobody://x' })
    expect((await atOnce(raw.request('resources/read', { uri: 'note://quick' }))).result).toMatchObject({
      contents: [{ text: 'quick' }],
    })
    await pass(5000)
    expect((await refusal).error?.code).toBe(-32002)
    const asked = mute.asked.length
    for (let count = 0; count < 20; count++)
      expect((await atOnce(raw.request('resources/read', { uri: `nobody://${count}` }))).error?.code).toBe(-32002)
    expect(mute.asked.length).toBe(asked)
  })

  it('that is slow to list its resources keeps them: no other server is read in its place', async () => {
    let answer: (result: Body) => void = () => {}
    const slow = scripted({
      version: '2025-06-18',
      capabilities: { resources: {} },
      answer: ({ method }) => {
        if (method === 'resources/list') return new Promise((resolve) => (answer = resolve))
        return method === 'resources/read'
          ? { contents: [{ uri: 'note://quick', text: 'slow' }] }
          : { resourceTemplates: [] }
      },
    })
    rigOf({ slow: { server: slow }, quick: { server: small('quick') } })
    const raw = await atOnce(handshake())
    const reading = raw.request('resources/read', { uri: 'note://quick' })
    await pass(1000)
    answer({ resources: [{ uri: 'note://quick', name: 'x' }] })
    expect((await atOnce(reading)).result).toMatchObject({ contents: [{ text: 'slow' }] })
  })

  it('that is slower than others keeps its URIs in the list of all: the first of the configuration, not the first to answer', async () => {
    let answer: (result: Body) => void = () => {}
    const slow = scripted({
      version: '2025-06-18',
      capabilities: { resources: {} },
      answer: ({ method }) =>
        method === 'resources/list' ? new Promise((resolve) => (answer = resolve)) : { resourceTemplates: [] },
    })
    rigOf({ slow: { server: slow }, quick: { server: small('quick') } })
    const raw = await atOnce(handshake())
    const listing = raw.request('resources/list')
    await pass(1000)
    answer({ resources: [{ uri: 'note://quick', name: 'x' }] })
    const { result = {} } = await atOnce(listing)
    expect((result['resources'] as Body[]).map(({ uri }) => uri)).toEqual([
      'parley://status',
      'note://quick',
      'parley://servers/quick/note%3A%2F%2Fquick',
    ])
  })

  it('is warned of once, not with every list', async () => {
    const warnings: string[] = []
    clock = fakeClock()
    const log = {
      error() {},
      warning: (message: string) => void warnings.push(message),
      info() {},
      debug() {},
    } as never
    const broken = scripted({ version: '2025-06-18', capabilities: { tools: {} }, answer: () => ({ nonsense: true }) })
    rig = new AggregateRig({ broken: { server: broken } }, { clock, log })
    const raw = await atOnce(handshake())
    for (let count = 0; count < 3; count++) expect(names(await atOnce(raw.request('tools/list')))).toEqual([])
    expect(warnings.filter((warning) => warning.startsWith('broken: tools/list'))).toHaveLength(1)
  })

  it('that takes calls and gives nothing back fills its own queue alone', async () => {
    const full = scripted({ version: '2025-06-18', capabilities: { tools: {} }, answer: () => new Promise(() => {}) })
    rigOf({ quick: { server: small('quick') }, full: { server: full, config: { maxConcurrent: 1, maxQueued: 1 } } })
    const raw = await atOnce(handshake())
    const call = (name: string) => raw.request('tools/call', { name, arguments: {} })
    void call('full__any')
    void call('full__any')
    await vi.waitFor(() => expect(rig.upstream('full').bulkhead.stats()).toMatchObject({ running: 1, queued: 1 }))
    expect((await atOnce(call('full__any'))).error?.message).toContain('"full"')
    expect((await atOnce(call('quick__who'))).result).toMatchObject({ content: [{ text: 'quick' }] })
  })

  it('that is slow to be followed is left out of what is acknowledged, the others are not', async () => {
    const slow: Acceptor = createServer({ name: 'slow', version: '1' }).add(resource('slow://x', {}, () => 'x'))
    const deaf: Acceptor = { accept: (link, options) => slow.accept(withoutSubscriptions(link), options) }
    rigOf({ quick: { server: small('quick'), version: '2026-07-28' }, slow: { server: deaf, version: '2025-06-18' } })
    const raw = rig.raw()
    await atOnce(raw.ask('resources/list'))
    void raw.ask('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://quick', 'slow://x'] } })
    await pass(5000)
    const { params } = await atOnce(raw.next('notifications/subscriptions/acknowledged'))
    expect(params?.['notifications']).toEqual({ resourceSubscriptions: ['note://quick'] })
  })
})

/** Nobody hears that anything is to be followed. */
function withoutSubscriptions(link: Link): Link {
  return {
    transport: link.transport,
    open: (events) =>
      link.open({
        ...events,
        frame: (frame, parsed, origin) => frame.includes('resources/subscribe') || events.frame(frame, parsed, origin),
      }),
    send: (frame, options) => link.send(frame, options),
    close: () => link.close(),
  }
}

describe('M6 changes', () => {
  it('of a server that floods are told once per 100 ms, the last one too, and to those it concerns', async () => {
    const flooding = scripted({ version: '2025-06-18', answer: () => ({ tools: [] }) })
    rigOf({ flooding: { server: flooding }, quick: { server: small('quick') } })
    const raw = await atOnce(handshake())
    const [home] = flooding.sessions
    const told = () => raw.of('notifications/tools/list_changed').length
    for (let count = 0; count < 1000; count++) home?.notify('notifications/tools/list_changed')
    await flush()
    await pass(99)
    expect(told()).toBe(0)
    await pass(1)
    expect(told()).toBe(1)
    home?.notify('notifications/tools/list_changed')
    await flush()
    await pass(100)
    expect(told()).toBe(2)
    await pass(1000)
    expect(told()).toBe(2)
    expect(raw.of('notifications/prompts/list_changed')).toEqual([])
  })
})

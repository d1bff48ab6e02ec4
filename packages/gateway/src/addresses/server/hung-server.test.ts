/**
 * G, L5: servers that keep their connection and answer nothing any more: found out, left alone for a while, tried once,
 * and back at once when they are well.
 */
import type { ProtocolVersion } from 'parley-mcp'
import { type Body, type Link, type SendOptions, WrappedLink } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import { type BridgeRig, bridgeTo, collectingLog } from './bridge.fixtures.ts'
import { RawClient, type RawMessage, type ScriptedServer, scripted, text, textOf } from './peers.fixtures.ts'

const CALL: Body = { name: 'any', arguments: {} }

let clock: FakeClock
let rig: BridgeRig
let said: string[]
/** While it is, nothing that is sent to the server reaches it. */
let isHung: boolean
beforeEach(() => {
  clock = fakeClock()
  said = []
  isHung = false
})
afterEach(async () => {
  isHung = false
  await rig.close()
})

class HangingLink extends WrappedLink {
  override send(frame: string, options?: SendOptions): void {
    if (!isHung) super.send(frame, options)
  }
}

const hanging = (link: Link): Link => new HangingLink(link)
const SETTINGS: Partial<ServerConfig> = {
  // One program for all clients.
  target: { kind: 'remote', url: 'tcp://127.0.0.1:1', transport: 'tcp', headers: {} },
  session: 'shared',
  timeout: 120_000,
  initialiseTimeout: 20_000,
}

async function serve(
  server: ScriptedServer,
  version: ProtocolVersion,
  more: Partial<ServerConfig> = {},
): Promise<RawClient> {
  rig = bridgeTo(server, version, { ...SETTINGS, ...more }, { clock, log: collectingLog(said), wrap: hanging })
  const client = new RawClient(rig.address, { clock, sharedLink: true })
  expect(textOf(await client.ask('tools/call', CALL))).toBe('done')
  await flush()
  return client
}

interface Asked {
  answer: RawMessage | undefined
  at: number | undefined
}

function ask(client: RawClient, params: Body = CALL): Asked {
  const asked: Asked = { answer: undefined, at: undefined }
  void client.ask('tools/call', params).then((answer) => Object.assign(asked, { answer, at: clock.now() }))
  return asked
}

/** In small steps, so that one thing can lead to another. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds; step++) await clock.advance(1000)
}

/** When a request has had its time, the question whether the server is there takes 40 seconds at most. */
async function untilFoundOut(): Promise<void> {
  for (let second = 0; second < 41 && state() === 'running'; second++) await pass(1)
  expect(state()).not.toBe('running')
}

const state = (): string => rig.upstream.status().state

describe.each(['2025-06-18', '2026-07-28'] as const)('G a server of %s that hangs', (version) => {
  it('is given up when it hangs again: later requests are refused at once, with the reason and the time', async () => {
    const client = await serve(scripted({ version }), version)
    isHung = true
    const first = ask(client)
    await pass(121)
    expect(first.answer?.error?.data).toMatchObject({ 'parley/kind': 'request_timeout' })
    await untilFoundOut()
    expect(state()).toBe('restarting')
    const second = ask(client)
    await pass(21)
    expect(second.answer?.error?.data).toMatchObject({ 'parley/kind': 'refusal_unavailable' })
    expect(rig.upstream.status()).toMatchObject({ state: 'down', nextAttemptAt: expect.any(Number) })
    const before = clock.now()
    const third = ask(client)
    await flush()
    expect(third.at).toBe(before)
    const wait = (rig.upstream.status().nextAttemptAt as number) - before
    expect(third.answer?.error).toMatchObject({
      message: expect.stringMatching(
        /^The server "rig" is not available: it did not answer after a restart \(.*\); the next attempt is possible in \d+ s, at /,
      ),
      data: { server: 'rig', retryAfterMs: wait, 'parley/kind': 'refusal_unavailable' },
    })
    expect(said).toEqual([
      expect.stringMatching(/^rig: does not answer any more: .*(ping|server\/discover).* 10000 ms/),
      expect.stringMatching(/^rig: The server did not answer (initialize|server\/discover) within 20000 ms$/),
      expect.stringMatching(/^rig: does not answer, left alone until /),
    ])
  })

  it('is tried once after a while, and works at once when it is well', async () => {
    const client = await serve(scripted({ version }), version)
    isHung = true
    ask(client)
    await pass(121)
    await untilFoundOut()
    ask(client)
    await pass(25)
    expect(state()).toBe('down')
    await pass(30)
    const opened = rig.ways.opened
    const trial = ask(client)
    const beside = ask(client)
    await pass(21)
    for (const { answer } of [trial, beside]) expect(answer?.error).toBeDefined()
    expect(rig.ways.opened).toBe(opened + 1)
    expect(state()).toBe('down')
    isHung = false
    await pass(60)
    const well = ask(client)
    await pass(1)
    expect(textOf(well.answer as RawMessage)).toBe('done')
    expect(state()).toBe('running')
  })

  it('is back without a refused request when only its connection hung', async () => {
    const client = await serve(scripted({ version }), version)
    isHung = true
    const lost = ask(client)
    await pass(121)
    expect(lost.answer?.error).toBeDefined()
    const opened = rig.ways.opened
    await untilFoundOut()
    isHung = false
    await pass(2)
    expect(rig.ways.opened).toBeGreaterThan(opened)
    const well = ask(client)
    await pass(1)
    expect(textOf(well.answer as RawMessage)).toBe('done')
    expect(state()).toBe('running')
  })

  it('is not given up because of one slow tool while others are answered', async () => {
    const slow = scripted({
      version,
      answer: ({ params }) => (params['name'] === 'slow' ? new Promise(() => {}) : text('done')),
    })
    const client = await serve(slow, version)
    const opened = rig.ways.opened
    for (let round = 0; round < 3; round++) {
      const late = ask(client, { ...CALL, name: 'slow' })
      await pass(170)
      expect(late.answer?.error?.data).toMatchObject({ 'parley/kind': 'request_timeout' })
      const other = ask(client)
      await pass(1)
      expect(textOf(other.answer as RawMessage)).toBe('done')
    }
    expect([rig.ways.opened, state()]).toEqual([opened, 'running'])
  })

  it('may be busy for as long as a request has time, and its answer comes through', async () => {
    let finish: (answer: Body) => void = () => {}
    const busy = scripted({
      version,
      answer: ({ params }) => (params['name'] === 'busy' ? new Promise((resolve) => (finish = resolve)) : text('done')),
    })
    const client = await serve(busy, version)
    const opened = rig.ways.opened
    const working = ask(client, { ...CALL, name: 'busy' })
    await pass(1)
    // It has read the request, and reads nothing else before it has answered.
    isHung = true
    await pass(110)
    isHung = false
    finish(text('computed'))
    await pass(1)
    expect(textOf(working.answer as RawMessage)).toBe('computed')
    expect([rig.ways.opened, state()]).toEqual([opened, 'running'])
  })
})

describe.each(['2025-06-18', '2026-07-28'] as const)(
  'G a server of %s whose requests have less time than it may be silent',
  (version) => {
    it.each([1000, 5000, 29_000])('is found out when it hangs, with a timeout of %i ms', async (timeout) => {
      const client = await serve(scripted({ version }), version, { timeout })
      isHung = true
      const first = ask(client)
      await pass(timeout / 1000 + 1)
      expect(first.answer?.error?.data).toMatchObject({ 'parley/kind': 'request_timeout' })
      expect(state()).toBe('running')
      // Silent for 30 seconds, and asked for another 10.
      await untilFoundOut()
      expect(said[0]).toMatch(/^rig: does not answer any more: .*(ping|server\/discover).* 10000 ms/)
      isHung = false
      await pass(2)
      const well = ask(client)
      await pass(1)
      expect(textOf(well.answer as RawMessage)).toBe('done')
    })

    it('is not asked when it was heard after the request that was given up', async () => {
      const slow = scripted({
        version,
        answer: ({ params }) => (params['name'] === 'slow' ? new Promise(() => {}) : text('done')),
      })
      const client = await serve(slow, version, { timeout: 5000 })
      const opened = rig.ways.opened
      for (let round = 0; round < 5; round++) {
        const late = ask(client, { ...CALL, name: 'slow' })
        await pass(6)
        expect(late.answer?.error?.data).toMatchObject({ 'parley/kind': 'request_timeout' })
        const other = ask(client)
        await pass(12)
        expect(textOf(other.answer as RawMessage)).toBe('done')
      }
      expect([rig.ways.opened, state(), said]).toEqual([opened, 'running', []])
    })
  },
)

it('G a server of the handshake era that hangs while nobody asks is found out by pings', async () => {
  const client = await serve(scripted({ version: '2025-06-18' }), '2025-06-18')
  isHung = true
  await untilFoundOut()
  expect(rig.upstream.status().lastError).toMatch(
    /^The server "rig" does not answer any more: The peer did not answer a ping within 10000 ms$/,
  )
  isHung = false
  const well = ask(client)
  await pass(1)
  expect(textOf(well.answer as RawMessage)).toBe('done')
})

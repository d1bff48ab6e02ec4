/**
 * D-06: what a client brings back is somebody else's until it is proven to be ours, for this caller, this request and
 * this time.
 */

import { describe, expect, it } from 'vitest'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import type { AskingOptions } from '../../src/session/index.ts'
import { fakeClock } from '../../src/testing.ts'

const KEY = 'a secret that only this fleet of servers knows'
const NAMES = 'io.modelcontextprotocol/'
const FORM = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const

interface Reply {
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

/** A server whose tools do something only when their question was answered. */
class Shop {
  readonly shipped: string[] = []
  readonly clock = fakeClock()
  readonly #handler: ReturnType<typeof fetchHandler>

  constructor(stateless: boolean, key: string | null = KEY, more: AskingOptions = {}) {
    const ship = (name: string) =>
      tool(
        name,
        { input: { type: 'object', properties: { to: { type: 'string' } } } as const },
        async ({ to }, ctx) => {
          const { action } = await ctx.elicit('sure', 'Ship it?', FORM)
          if (action === 'accept') this.shipped.push(`${name} ${to}`)
          return action
        },
      )
    const server = createServer(
      { name: 'shop', version: '1.0.0' },
      { stateless, clock: this.clock, onError: () => {}, asking: key === null ? more : { key, ...more } },
    )
    this.#handler = fetchHandler(server.add(ship('ship'), ship('send')), {
      clock: this.clock,
      principal: (request) => request.header('x-user'),
    })
  }

  async call(name: string, to: string, more: Record<string, unknown> = {}, who = 'ann'): Promise<Reply> {
    const _meta = { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: { elicitation: {} } }
    const response = await this.#handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
          'x-user': who,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: { to }, _meta, ...more },
        }),
      }),
    )
    return (await response.json()) as Reply
  }

  async asked(): Promise<string> {
    return (await this.call('ship', 'Oslo')).result?.['requestState'] as string
  }

  close(): Promise<void> {
    return this.#handler.close({ drain: 0 })
  }
}

const YES = { sure: { action: 'accept', content: { yes: true } } }
const flipped = (state: string, at: number): string =>
  state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)

describe.each([
  { mode: 'park', stateless: false },
  { mode: 'replay', stateless: true },
])('requestState, $mode', ({ stateless }) => {
  const attacks: Record<string, (state: string, shop: Shop) => Promise<Reply>> = {
    forged: (_, shop) =>
      shop.call('ship', 'Oslo', { requestState: `v1.${btoa('{"k":"state","x":{}}')}`, inputResponses: YES }),
    'made by another server': async (_, shop) => {
      const other = new Shop(stateless, 'the secret of some other fleet of servers')
      const foreign = await other.asked()
      await other.close()
      return shop.call('ship', 'Oslo', { requestState: foreign, inputResponses: YES })
    },
    'not a string': (_, shop) => shop.call('ship', 'Oslo', { requestState: { k: 'state' }, inputResponses: YES }),
    empty: (_, shop) => shop.call('ship', 'Oslo', { requestState: '', inputResponses: YES }),
    truncated: (state, shop) => shop.call('ship', 'Oslo', { requestState: state.slice(0, -4), inputResponses: YES }),
    extended: (state, shop) => shop.call('ship', 'Oslo', { requestState: `${state}AAAA`, inputResponses: YES }),
    'changed at its beginning': (state, shop) =>
      shop.call('ship', 'Oslo', { requestState: flipped(state, 4), inputResponses: YES }),
    'changed at its end': (state, shop) =>
      shop.call('ship', 'Oslo', { requestState: flipped(state, state.length - 3), inputResponses: YES }),
    'brought to another tool': (state, shop) => shop.call('send', 'Oslo', { requestState: state, inputResponses: YES }),
    'brought with other arguments': (state, shop) =>
      shop.call('ship', 'Rome', { requestState: state, inputResponses: YES }),
    'brought by somebody else': (state, shop) =>
      shop.call('ship', 'Oslo', { requestState: state, inputResponses: YES }, 'eve'),
  }

  it.each(Object.entries(attacks))('%s is refused, and nothing is done', async (_, attack) => {
    const shop = new Shop(stateless)
    const reply = await attack(await shop.asked(), shop)
    expect(reply).toMatchObject({ error: { code: -32602, message: expect.stringContaining('requestState') } })
    expect(shop.shipped).toEqual([])
    await shop.close()
  })

  it('is of no use after its time: the model is told so, and nothing is done (8.2 rule 9)', async () => {
    const shop = new Shop(stateless)
    const requestState = await shop.asked()
    await shop.clock.advance(10 * 60_000)
    const { result } = await shop.call('ship', 'Oslo', { requestState, inputResponses: YES })
    expect(result).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/expired.*call the tool again/) }],
    })
    expect(shop.shipped).toEqual([])
    // Who was never entitled to it learns nothing of that.
    expect(await shop.call('ship', 'Oslo', { requestState, inputResponses: YES }, 'eve')).toMatchObject({
      error: { code: -32602 },
    })
    await shop.close()
  })

  it('is refused after a restart with another key', async () => {
    const [before, after] = [new Shop(stateless, null), new Shop(stateless, null)]
    const state = await before.asked()
    await before.close()
    expect(await after.call('ship', 'Oslo', { requestState: state, inputResponses: YES })).toMatchObject({
      error: { code: -32602 },
    })
    expect(after.shipped).toEqual([])
    await after.close()
  })

  it('is taken once from the one it was given to, and answered the same when it comes twice', async () => {
    const shop = new Shop(stateless)
    const retry = { requestState: await shop.asked(), inputResponses: YES }
    const [first, second] = await Promise.all([shop.call('ship', 'Oslo', retry), shop.call('ship', 'Oslo', retry)])
    expect(first).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'accept' }] } })
    expect(second.result).toEqual(first.result)
    expect((await shop.call('ship', 'Oslo', retry)).result).toEqual(first.result)
    expect(shop.shipped).toEqual(['ship Oslo'])
    await shop.close()
  })

  it('says nothing of what is in it', async () => {
    const shop = new Shop(stateless)
    const state = await shop.asked()
    expect(atob(state.slice(3).replaceAll('-', '+').replaceAll('_', '/'))).not.toMatch(/ship|Oslo|ann|tools/)
    await shop.close()
  })
})

describe('requestState on another process', () => {
  it('goes on where handlers are run again and the key is the same', async () => {
    const [one, two] = [new Shop(true), new Shop(true)]
    const reply = await two.call('ship', 'Oslo', { requestState: await one.asked(), inputResponses: YES })
    expect(reply).toMatchObject({ result: { resultType: 'complete' } })
    expect([one.shipped, two.shipped]).toEqual([[], ['ship Oslo']])
    await Promise.all([one.close(), two.close()])
  })

  it('is refused where the call waits in the first one', async () => {
    const [one, two] = [new Shop(false), new Shop(false)]
    const reply = await two.call('ship', 'Oslo', { requestState: await one.asked(), inputResponses: YES })
    expect(reply).toMatchObject({ error: { code: -32602, message: expect.stringContaining('no longer waits') } })
    expect([one.shipped, two.shipped]).toEqual([[], []])
    await Promise.all([one.close(), two.close()])
  })
})

describe('places of calls that wait', () => {
  it('of one client are bounded where it is known who is who, and others still find one', async () => {
    const shop = new Shop(false, KEY, { maxParkedEach: 3 })
    for (const _ of [1, 2, 3]) expect((await shop.call('ship', 'Oslo')).result?.['resultType']).toBe('input_required')
    const refused = await shop.call('ship', 'Oslo')
    expect(refused.result ?? refused.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('3 calls of this client'),
    })
    expect((await shop.call('ship', 'Oslo', {}, 'bob')).result?.['resultType']).toBe('input_required')
    await shop.close()
  })
})

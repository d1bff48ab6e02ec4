/** Questions that do not come in one go are shown together, but nobody is kept waiting for ever. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { RawClient, type RawMessage } from '../../server/raw-client.fixtures.ts'
import { type Context, createServer, tool } from '../../server.ts'
import { fakeClock, flush } from '../../testing/clock.ts'

const NAMES = 'io.modelcontextprotocol/'
const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const params: Body = {
  name: 'run',
  _meta: { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: { elicitation: {} } },
}

async function asked(handler: (ctx: Context, after: (ms: number) => Promise<void>) => unknown) {
  const clock = fakeClock()
  const after = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))
  const run = tool('run', {}, (_, ctx) => handler(ctx, after))
  const client = new RawClient(
    createServer({ name: 's', version: '1' }, { clock, asking: { gather: 100 }, onError: () => {} }).add(run),
    {},
  )
  let answer: RawMessage | undefined
  void client.request('tools/call', params).then((message) => {
    answer = message
  })
  await clock.advance(0)
  const keys = (): string[] | undefined => answer && Object.keys((answer.result?.['inputRequests'] ?? {}) as Body)
  /** Sealing what is shown takes a few turns of cryptography. */
  const shown = async (): Promise<string[]> => {
    for (let known = keys(); ; known = keys()) {
      if (known !== undefined) return known
      await flush()
    }
  }
  return { clock, client, keys, shown, answer: () => answer }
}

describe('asking.gather', () => {
  it('waits for more questions from the last one on', async () => {
    const { clock, client, keys, shown } = await asked(async (ctx, after) => {
      const first = ctx.elicit('a', 'A?', FORM)
      await after(80)
      const second = ctx.elicit('b', 'B?', FORM)
      await Promise.all([first, second])
    })
    await clock.advance(100)
    expect(keys()).toBeUndefined()
    await clock.advance(79)
    expect(keys()).toBeUndefined()
    await clock.advance(1)
    expect(await shown()).toEqual(['a', 'b'])
    await client.close()
    expect(clock.pending).toBe(0)
  })

  it('but not for longer than ten times that', async () => {
    const { clock, client, keys, shown } = await asked(async (ctx, after) => {
      const all: Promise<unknown>[] = []
      for (let at = 0; at < 50; at++) {
        all.push(ctx.elicit(`q${at}`, '?', FORM))
        await after(90)
      }
      await Promise.all(all)
    })
    await clock.advance(999)
    expect(keys()).toBeUndefined()
    await clock.advance(1)
    expect(await shown()).toHaveLength(12)
    await client.close()
  })

  it('is not waited for when there is an answer', async () => {
    const { clock, client, answer } = await asked(async (ctx, after) => {
      void ctx.elicit('a', 'A?', FORM).catch(() => {})
      await after(10)
      return 'done'
    })
    await clock.advance(10)
    expect(answer()).toMatchObject({ result: { content: [{ text: 'done' }] } })
    expect(clock.pending).toBe(0)
    await client.close()
  })

  it('leaves nothing behind when the call is given up', async () => {
    const { clock, client, answer } = await asked((ctx) => ctx.elicit('a', 'A?', FORM))
    await client.close()
    await clock.advance(0)
    expect([answer(), clock.pending]).toEqual([undefined, 0])
  })
})

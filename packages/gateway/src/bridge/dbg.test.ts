import { fakeClock } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { bridgeTo } from './bridge.fixtures.ts'
import { overheard, RawClient, scripted, text } from './peers.fixtures.ts'

it('x', async () => {
  const inner = fakeClock()
  let n = 0
  const clock = {
    ...inner,
    now: () => inner.now(),
    after: (ms: number, task: () => void, x?: boolean) => {
      if (n++ > 200 && n < 205) console.log(n, ms, new Error().stack?.split('\n').slice(2, 6).join('\n'))
      if (n > 400) throw new Error('loop')
      return inner.after(ms, task)
    },
  }
  const server = scripted({
    version: '2025-06-18',
    answer: async (inbound) => {
      return text(JSON.stringify(await inbound.request('roots/list')))
    },
  })
  const frames: string[] = []
  const rig = bridgeTo(server, undefined, { session: 'request' }, { clock: clock as never, wrap: overheard(frames) })
  const client = new RawClient(rig.served, { clock: clock as never, sharedLink: true } as never)
  void client.ask('tools/call', { name: 'any' }, { roots: {} })
  await new Promise((r) => setTimeout(r, 500))
  console.log(client.received, frames, client.session.inFlight(), rig.upstream.status(), rig.upstream.bulkhead.stats())
  for (let i = 0; i < 10; i++) {
    await inner.advance(60000)
    console.log(i, inner.pending, n)
  }
  await rig.close()
})

/** D-42: at the address of all servers, too, what the server has said meanwhile goes before what it answers. */
import type { Body } from 'parley-mcp/engine'
import { fakeClock, flush } from 'parley-mcp/testing'
import { expect, it } from 'vitest'
import { scripted, until } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

it('D-42 a list that has changed before it came is read again', async () => {
  const clock = fakeClock()
  let answer: (() => void) | undefined
  let names = ['old']
  const server = scripted({
    version: '2026-07-28',
    capabilities: { prompts: { listChanged: true } },
    answer: (): Body | Promise<Body> => {
      const result = { prompts: names.map((name) => ({ name })), ttlMs: 60_000, cacheScope: 'public' }
      if (names[0] === 'new') return result
      return new Promise((resolve) => {
        answer = () => resolve(result)
      })
    },
  })
  const rig = new AggregateRig({ a: { server, version: '2026-07-28' } }, { clock })
  await rig.upstream('a').gatewayConversation()
  await until(() => expect(server.listening.size).toBeGreaterThan(0))
  const raw = rig.raw()
  const listed = async (): Promise<string[]> => {
    const { result = {} } = await raw.ask('prompts/list')
    return (result['prompts'] as { name: string }[]).map(({ name }) => name)
  }
  const first = listed()
  await until(() => expect(answer).toBeDefined())
  names = ['new']
  for (const listening of server.listening) listening.notify('notifications/prompts/list_changed')
  for (let round = 0; round < 10; round++) await flush()
  answer?.()
  expect([await first, await listed()]).toEqual([['a__old'], ['a__new']])
  await rig.close()
})

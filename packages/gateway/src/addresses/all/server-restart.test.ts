/** L3: while a server is started again, its lists stay as they were. */
import type { Link } from 'parley-mcp/engine'
import { afterEach, expect, it, vi } from 'vitest'
import { AggregateRig, notesServer } from './aggregate.fixtures.ts'

let rig: AggregateRig
afterEach(() => rig.close())

it.each(['2025-06-18', '2026-07-28'] as const)(
  'L3 a client of %s sees what a server had until it is known to be gone',
  async (version) => {
    const links: Link[] = []
    const noted = (link: Link): Link => {
      links.push(link)
      return link
    }
    let isBack = (): void => {}
    let gate: Promise<void> | undefined
    rig = new AggregateRig({
      a: { server: notesServer('a'), before: () => gate ?? Promise.resolve(), wrap: noted },
      b: { server: notesServer('b') },
    })
    const client = await rig.connect({ version })
    const lists = async () => [
      await client.tools(),
      await client.prompts(),
      await client.resources(),
      await client.templates(),
    ]
    const before = await lists()
    expect(before[0]?.map(({ name }) => name)).toContain('a__who')
    gate = new Promise((resolve) => {
      isBack = resolve
    })
    for (const link of links) void link.close()
    await vi.waitFor(() => expect(rig.upstream('a').status().state).toMatch(/restarting|starting/))
    const started = performance.now()
    expect(await lists()).toEqual(before)
    // Nobody waits for it: one list of a server that is late takes up to five seconds.
    expect(performance.now() - started).toBeLessThan(4000)
    isBack()
    expect((await client.call('a__who')).text).toBe('a')
    expect(await lists()).toEqual(before)
  },
)

/** `value` of a call is what the tool declares, in versions that have no structured content as well. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { connect as connectClient } from '../../src/client.ts'
import { createServer, result, tool } from '../../src/server.ts'
import { connect, everyVersion } from '../../src/testing.ts'

const server = createServer({ name: 's', version: '1' }).add(
  tool('sum', { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({
    sum: a + 1,
  })),
  tool('list', { output: { type: 'array', items: { type: 'number' } } }, () => [1, 2]),
  tool('words', { output: z.object({ n: z.number() }) }, () => result({ content: 'just words', structured: { n: 1 } })),
  tool('json', {}, () => '{"sum":1}'),
)

everyVersion((version) => {
  it(`F1 the value has the declared type (${version})`, async () => {
    for (const open of [connect, connectClient]) {
      await using client = await open(server, { version })
      expect((await client.call('sum', { a: 1 })).value).toEqual({ sum: 2 })
      expect((await client.call('sum', { a: 1 }, { throwOnError: false })).value).toEqual({ sum: 2 })
      expect((await client.call('json')).value).toBe('{"sum":1}')
      await client.tools()
      expect((await client.call('sum', { a: 1 })).value.sum).toBe(2)
    }
  })
})

it.each(['2024-11-05', '2025-03-26'] as const)(
  'F1 a list is one, beside other blocks as well (%s)',
  async (version) => {
    await using client = await connect(server, { version })
    expect((await client.call('list')).value).toEqual([1, 2])
    expect((await client.call('words')).value).toEqual({ n: 1 })
  },
)

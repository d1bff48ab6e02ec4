/** Names that cannot be shortened uniquely: with a hash as weak as this, there are many. */
import { expect, it, vi } from 'vitest'
import { failureOf, faulty, names, perTest, soon, textOf } from './faults.fixtures.ts'

vi.mock('../../src/catalogue/sha256.ts', async (original) => ({
  ...(await original<object>()),
  sha256: (text: string) => new Uint8Array(32).fill(text.startsWith('["odd","') ? 7 : text.length),
}))

const rig = perTest()

it('G the first keeps its name, the other is left out of the list and told in the log, and no call goes astray', async () => {
  await rig.start({ odd: { ...faulty('--tools=clashing'), session: 'shared' } })
  const client = await rig.client()
  const listed = names(await soon(client.tools()))
  const short = listed.filter((name) => !name.includes('__'))
  expect(short).toHaveLength(1)
  expect(await textOf(client, short[0] as string)).toBe(`called ${'y'.repeat(100)} one`)
  expect(rig.said.filter((line) => line.includes('cannot be shortened uniquely'))).not.toEqual([])
  // By its own address the other one can be reached.
  expect(await textOf(await rig.client('odd'), `${'y'.repeat(100)} two`)).toBe(`called ${'y'.repeat(100)} two`)
  expect(await soon(failureOf(client.call('odd_yyy')))).toMatchObject({ receivedCode: -32602 })
})

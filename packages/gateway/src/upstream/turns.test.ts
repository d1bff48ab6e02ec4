import fc from 'fast-check'
import { flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

describe('8.2 rule 1: turns', () => {
  it('nobody waits where nobody is before', async () => {
    const turns = new Turns()
    for (let round = 0; round < 3; round++) (await turns.take())()
  })

  it('are taken one at a time, in the order they were asked for, whenever they end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }), async (lengths) => {
        const turns = new Turns()
        const begun: number[] = []
        let inside = 0
        const all = lengths.map(async (length, index) => {
          const end = await turns.take()
          begun.push(index)
          expect(++inside).toBe(1)
          for (let step = 0; step < length; step++) await Promise.resolve()
          inside--
          end()
        })
        await Promise.all(all)
        expect(begun).toEqual(lengths.map((_, index) => index))
      }),
    )
  })

  it('end once: a second end lets nobody in beside the next', async () => {
    const turns = new Turns()
    const first = await turns.take()
    let begun = 0
    const second = turns.take().then((end) => {
      begun++
      return end
    })
    const third = turns.take().then((end) => {
      begun++
      return end
    })
    first()
    first()
    const end = await second
    await flush()
    expect(begun).toBe(1)
    end()
    ;(await third)()
  })
})

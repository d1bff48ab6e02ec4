/** A table by ids behaves as a map does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdTable } from './id-table.ts'

const ids = fc.oneof(
  fc.integer({ min: -4, max: 40 }),
  fc.integer({ min: -4, max: 40 }).map((id) => id * 4096),
  fc.integer({ min: -4, max: 40 }).map(String),
  fc.constantFrom(
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 32,
    2 ** 32 + 1,
    '',
    '__proto__',
    'é'.repeat(100),
    `${'x'.repeat(99)}a`,
  ),
)
const steps = fc.array(fc.tuple(fc.constantFrom('set', 'set', 'set', 'delete', 'delete', 'clear'), ids, fc.nat()), {
  size: 'large',
})

describe('a table by ids', () => {
  it('has what a map has, whatever is done to both', () => {
    fc.assert(
      fc.property(steps, (done) => {
        const table = new IdTable<number>()
        const map = new Map<string | number, number>()
        // Compared all at once: a comparison costs many times what a step does.
        const [ofTable, ofMap]: [unknown[], unknown[]] = [[], []]
        for (const [what, id, value] of done) {
          if (what === 'set') {
            table.set(id, value)
            map.set(id, value)
          } else if (what === 'delete') {
            ofTable.push(table.delete(id))
            ofMap.push(map.delete(id))
          }
          // Seldom, or nothing would ever grow.
          else if (value % 50 === 0) {
            table.clear()
            map.clear()
          }
          ofTable.push(table.size, table.get(id), table.has(id))
          ofMap.push(map.size, map.get(id), map.has(id))
        }
        expect(ofTable).toStrictEqual(ofMap)
        for (const [id, value] of map) expect(table.get(id)).toBe(value)
        expect(table.values()).toEqual([...map.values()])
      }),
    )
  })

  it('keeps 1 and "1" apart', () => {
    const table = new IdTable<string>()
    table.set(1, 'number')
    table.set('1', 'string')
    expect([table.get(1), table.get('1')]).toEqual(['number', 'string'])
  })

  it('holds undefined as a value', () => {
    const table = new IdTable<undefined>()
    table.set('a', undefined)
    expect([table.has('a'), table.size, table.values()]).toEqual([true, 1, [undefined]])
  })

  it('lists those that were there when it was asked', () => {
    const table = new IdTable<number>()
    for (let id = 0; id < 100; id++) table.set(id, id)
    for (const value of table.values()) table.delete(value)
    expect(table.size).toBe(0)
  })

  it('finds everyone after thousands have come and gone', () => {
    const table = new IdTable<number>()
    for (let id = 0; id < 20_000; id++) {
      table.set(id, id)
      if (id % 7 !== 0 && id >= 32) table.delete(id - 32)
    }
    for (const value of table.values()) expect(table.get(value)).toBe(value)
    for (const value of table.values()) expect(table.delete(value)).toBe(true)
    expect(table.size).toBe(0)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, rows, wrapped } from './layout.ts'

describe('rows of two columns', () => {
  it('stay beside each other where there is room', () => {
    expect(
      rows(
        [
          ['a', 'first'],
          ['long', ''],
        ],
        80,
      ),
    ).toEqual(['  a     first', '  long'])
  })

  it('wrap what is too long, beside its name or below it', () => {
    expect(rows([['name', 'one two three four five six seven eight']], 36)).toEqual([
      '  name  one two three four five six\n        seven eight',
    ])
    expect(rows([['a_name_that_takes_all_the_room', 'one two three four five six']], 36)).toEqual([
      '  a_name_that_takes_all_the_room\n      one two three four five six',
    ])
  })

  it('give a long name a line of its own, so that the others have room', () => {
    const long = 'search(query: string, limit?: integer, after?: string)'
    expect(
      rows(
        [
          ['get(id: string)', 'one two'],
          [long, 'three'],
        ],
        80,
      ),
    ).toEqual(['  get(id: string)  one two', `  ${long}\n      three`])
  })

  it('are no wider than the terminal unless a word is, and lose nothing', () => {
    const words = fc
      .array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 }), {
        minLength: 1,
        maxLength: 30,
      })
      .map((each) => each.join(' '))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(words, words), { maxLength: 5 }),
        fc.integer({ min: 40, max: 120 }),
        (entries, columns) => {
          const printed = rows(entries, columns)
          for (const line of printed.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
          expect(printed.map((row) => row.trim().split(/\s+/))).toEqual(
            entries.map(([name, about]) => `${name} ${about}`.split(' ')),
          )
        },
      ),
    )
    expect(wrapped('a verylongword b', 4)).toEqual(['a', 'verylongword', 'b'])
  })
})

it.each([
  [120, 120],
  [0, 80],
  [undefined, 80],
])('a terminal of %s columns is taken for one of %i', (columns, width) => {
  expect(columnsOf({ columns })).toBe(width)
})

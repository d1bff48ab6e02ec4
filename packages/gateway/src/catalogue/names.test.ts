import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NameTable } from './index.ts'

/** Names that come close to each other, and names of every kind. */
const tricky = fc.oneof(
  fc
    .array(fc.constantFrom('_', '__', 'a', 'b', '.', '-', 'é'), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join('')),
  fc.string({ minLength: 1, maxLength: 90, unit: 'binary' }),
)
const pairs = fc.uniqueArray(fc.record({ server: tricky, name: tricky }), {
  minLength: 2,
  maxLength: 40,
  selector: ({ server, name }) => JSON.stringify([server, name]),
})
const long = 'x'.repeat(80)

function tableOf(given: readonly { server: string; name: string }[]): NameTable {
  return new NameTable(given.map(({ server }) => server))
}

describe('G: names of many servers in one list', () => {
  it('joins server and name where that can be read back', () => {
    const table = new NameTable(['files', 'my.server'])
    expect(table.publicName('files', 'read_file')).toBe('files__read_file')
    expect(table.publicName('my.server', 'a.b')).toBe('my.server__a.b')
    expect(table.publicName('files', '_hidden')).toBe('files___hidden')
    expect(table.find('files___hidden')).toEqual({ server: 'files', name: '_hidden' })
  })

  it('law: different pairs have different names, whatever is in them', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const table = tableOf(given)
        expect(new Set(given.map(({ server, name }) => table.publicName(server, name))).size).toBe(given.length)
      }),
    )
  })

  it('law: at most 64 characters, and shortened names have only those every client takes', () => {
    fc.assert(
      fc.property(tricky, tricky, (server, name) => {
        const publicName = new NameTable([server]).publicName(server, name)
        expect(publicName).toMatch(
          publicName === `${server}__${name}` ? /^[A-Za-z0-9_.-]{1,64}$/ : /^[A-Za-z0-9_-]{1,64}$/,
        )
      }),
    )
  })

  it('law: a name depends on nothing but its pair', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const table = tableOf(given)
        for (const { server, name } of given) table.learn(server, [name])
        for (const { server, name } of given)
          expect(table.publicName(server, name)).toBe(new NameTable([]).publicName(server, name))
      }),
    )
  })

  it('law: learnt names are found again', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const table = tableOf(given)
        for (const { server, name } of given) expect(table.learn(server, [name])).toEqual([])
        for (const { server, name } of given)
          expect(table.find(table.publicName(server, name))).toEqual({ server, name })
      }),
    )
  })

  it('law: what was never learnt is found, or at least its server is', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const table = tableOf(given)
        for (const { server, name } of given) {
          const publicName = table.publicName(server, name)
          expect(table.find(publicName)).toEqual({
            server,
            name: publicName === `${server}__${name}` ? name : undefined,
          })
        }
      }),
    )
  })

  it.each([
    ['a__b', 'c', 'a', 'b__c'],
    ['a_', 'b', 'a', '_b'],
    ['a', 'x.y', 'a', 'x_y'],
  ])('keeps (%s, %s) and (%s, %s) apart', (server, name, otherServer, otherName) => {
    const table = new NameTable([server, otherServer])
    expect(table.publicName(server, name)).not.toBe(table.publicName(otherServer, otherName))
  })

  it('a tool that is called like a shortened name is another one', () => {
    const table = new NameTable(['a'])
    const shortened = table.publicName('a', long)
    table.learn('a', [long, shortened])
    expect(table.publicName('a', shortened.slice(3))).not.toBe(shortened)
    expect(table.find(shortened)).toEqual({ server: 'a', name: long })
  })

  it('shows in shortened names where they come from', () => {
    const table = new NameTable(['weather/eu'])
    expect(table.publicName('weather/eu', 'forecast.daily')).toMatch(/^weather_eu_forecast_daily_[a-z2-7]{18}$/)
    expect(table.publicName('s'.repeat(90), 'n'.repeat(90))).toMatch(/^s{20}_n{24}_[a-z2-7]{18}$/)
    expect(table.publicName('天', '気')).toMatch(/^_[a-z2-7]{18}$/)
  })

  it.each(['nobody__tool', 'tool', '', '__tool', 'a__', `a__${long}`, 'a__b c', 'x_abcdefghijklmnopqr'])(
    'finds nothing for %j',
    (name) => {
      expect(new NameTable(['a']).find(name)).toBeUndefined()
    },
  )

  it('tells of a hash that two names share, and leaves the second one out', () => {
    const table = new NameTable(['a'], { digest: () => new Uint8Array(32) })
    const [one, other] = [`${long}1`, `${long}2`]
    const [clash, ...more] = table.learn('a', [one, other])
    expect(more).toEqual([])
    expect(clash?.name).toBe(other)
    expect(clash?.problem).toContain('cannot be shortened uniquely')
    expect(table.find(table.publicName('a', other))).toEqual({ server: 'a', name: one })
    expect(table.learn('a', [one])).toEqual([])
  })

  it('does not guess between two servers with the same signs', () => {
    const table = new NameTable(['a', 'b'], { digest: () => new Uint8Array(32) })
    expect(table.find(table.publicName('a', long))).toBeUndefined()
  })

  it('follows servers that come and go', () => {
    const table = new NameTable(['a', 'b'])
    const shortened = table.publicName('b', long)
    table.learn('b', [long])
    table.setServers(['b', 'c'])
    expect(table.find('a__tool')).toBeUndefined()
    expect(table.find('c__tool')).toEqual({ server: 'c', name: 'tool' })
    expect(table.find(shortened)).toEqual({ server: 'b', name: long })
    table.setServers(['c'])
    expect(table.find(shortened)).toBeUndefined()
    expect(table.learn('b', [long])).toEqual([])
    expect(table.find(shortened)).toBeUndefined()
  })

  it('keeps a bounded number of names of a server, and still knows whose the others are', () => {
    const table = new NameTable(['a'], { maxPerServer: 2 })
    const names = [1, 2, 3].map((count) => long + count)
    table.learn('a', names)
    expect(names.map((name) => table.find(table.publicName('a', name))?.name)).toEqual([undefined, names[1], names[2]])
    expect(table.find(table.publicName('a', names[0] as string))).toEqual({ server: 'a', name: undefined })
  })
})

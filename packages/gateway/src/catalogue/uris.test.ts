import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../sdk/src/processor-time.fixtures.ts'
import { UriTable } from './index.ts'

const SERVERS = ['a', 'b', 'c d/é']
const server = fc.constantFrom(...SERVERS)
const uri = fc.oneof(
  fc.constantFrom(
    'file:///x',
    'file:///y%20z',
    'db://t/1?q#f',
    'parley://servers/b/file%3A%2F%2F',
    'parley://templates/a/x',
    'parley://other',
  ),
  fc.constantFrom('ui://app/index.html', 'ui://a+app/index.html', 'ui://b+b+x', 'ui://'),
  fc.string({ unit: 'grapheme' }),
)
const template = fc.constantFrom(
  'file:///{path}',
  'db://{table}/{row}',
  'db://t/{row}',
  '{+any}',
  'parley://servers/{x}',
  'ui://app/{page}',
  'ui://{+any}',
)
const step = fc.oneof(
  fc.record({ kind: fc.constant('learn' as const), server, uris: fc.array(uri), templates: fc.array(template) }),
  fc.record({ kind: fc.constant('mention' as const), server, uri }),
)

function tableAfter(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): UriTable {
  const table = new UriTable(SERVERS)
  for (const given of steps)
    given.kind === 'learn'
      ? table.learn(given.server, given.uris, given.templates)
      : table.linkedUri(given.server, given.uri)
  return table
}

describe('G: URIs of many servers in one list', () => {
  it('law: a published URI leads back to its server and its own spelling, whatever was learnt', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), server, uri, (steps, owner, original) => {
        const table = tableAfter(steps)
        expect(table.route(table.publicUri(owner, original))).toEqual({ server: owner, uri: original })
        expect(table.route(table.publicTemplate(owner, original))).toEqual({ server: owner, uri: original })
      }),
    )
  })

  it('law: a URI that one server lists stays as it is, unless a template of one before it fits', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), server, (steps, owner) => {
        const table = tableAfter(steps)
        const own = 'custom://only/here'
        const claimer = table.offeredBy(own)
        table.learn(owner, [own])
        const isClaimed = claimer !== undefined && SERVERS.indexOf(claimer) < SERVERS.indexOf(owner)
        expect(table.publicUri(owner, own)).toBe(
          isClaimed ? `parley://servers/${encodeURIComponent(owner)}/custom%3A%2F%2Fonly%2Fhere` : own,
        )
      }),
    )
  })

  it('law: nothing a later server lists, has templates for or speaks of changes who answers for what an earlier one offers', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 12 }),
        fc.array(uri),
        (steps, later, uris) => {
          const table = tableAfter(steps)
          const offered = [...uris, 'file:///x', 'db://t/1?q#f'].flatMap((each) =>
            table.offeredBy(each) === 'a' ? [each] : [],
          )
          for (const given of later) {
            if (given.server === 'a') continue
            given.kind === 'learn'
              ? table.learn(given.server, given.uris, given.templates)
              : table.linkedUri(given.server, given.uri)
          }
          // The page of an app that is asked for by its own URI is refused when several have it.
          const answerers = offered.map(
            (each) => table.route(each)?.server ?? (each.startsWith('ui://') ? 'a' : undefined),
          )
          expect(answerers).toEqual(offered.map(() => 'a'))
        },
      ),
    )
  })

  it('law: published forms are absolute URIs', () => {
    fc.assert(
      fc.property(
        server,
        fc.constantFrom('http://[::1]:8080/a b?q=é#f', 'file:///C:/x/../y', 'urn:x', 'db://t/%2F%zz'),
        (owner, original) => {
          const published = new UriTable([]).publicUri(owner, original)
          expect(new URL(published).href).toBe(published)
        },
      ),
    )
  })

  it('of two servers that list one URI the first of the configuration keeps it, in whatever order they came', () => {
    const table = new UriTable(['a', 'b'])
    table.learn('b', ['file:///x'])
    expect(table.publicUri('b', 'file:///x')).toBe('file:///x')
    table.learn('a', ['file:///x'])
    expect(table.publicUri('a', 'file:///x')).toBe('file:///x')
    expect(table.publicUri('b', 'file:///x')).toBe('parley://servers/b/file%3A%2F%2F%2Fx')
    table.setServers(['b', 'a'])
    expect(table.route('file:///x')?.server).toBe('b')
  })

  it('learning replaces what a server listed before, part by part', () => {
    const table = new UriTable(['a'])
    table.learn('a', ['file:///x'], ['db://{row}'])
    table.learn('a', ['file:///y'])
    expect(table.route('file:///x')).toBeUndefined()
    expect(table.route('db://1')?.server).toBe('a')
    table.learn('a', undefined, [])
    expect(table.route('db://1')).toBeUndefined()
    expect(table.route('file:///y')?.server).toBe('a')
  })

  it('learning more adds to what a server listed before', () => {
    const table = new UriTable(['a', 'b'])
    table.learn('a', ['file:///x'], ['db://{row}'])
    table.learnMore('a', ['file:///y'])
    table.learnMore('a', [], ['web://{page}'])
    expect(['file:///x', 'file:///y', 'db://1', 'web://1'].map((given) => table.route(given)?.server)).toEqual([
      'a',
      'a',
      'a',
      'a',
    ])
    table.learn('a', ['file:///z'])
    expect(['file:///x', 'file:///y', 'file:///z'].map((given) => table.route(given)?.server)).toEqual([
      undefined,
      undefined,
      'a',
    ])
    table.learnMore('nobody', ['file:///n'])
    expect(table.route('file:///n')).toBeUndefined()
  })

  it('the order of the configuration decides between templates, however long they are', () => {
    const table = new UriTable(['a', 'b', 'c'])
    table.learn('c', [], ['{+any}'])
    table.learn('b', [], ['db://users/{id}'])
    expect(['db://users/1', 'db://orders', 'x:y'].map((given) => table.route(given)?.server)).toEqual(['b', 'c', 'c'])
    table.learn('a', [], ['db://{table}'])
    expect(['db://users/1', 'db://orders', 'x:y'].map((given) => table.route(given)?.server)).toEqual(['a', 'a', 'c'])
  })

  it('a template of an earlier server counts as much as its list: what later ones list is shown in another form', () => {
    const table = new UriTable(['a', 'b'])
    table.learn('a', [], ['db://{table}/rows{?from}'])
    table.learn('b', ['db://users/rows', 'db://users/columns'])
    expect(table.route('db://users/rows')?.server).toBe('a')
    expect(table.publicUri('b', 'db://users/rows')).toBe('parley://servers/b/db%3A%2F%2Fusers%2Frows')
    expect(table.route('parley://servers/b/db%3A%2F%2Fusers%2Frows')).toEqual({ server: 'b', uri: 'db://users/rows' })
    // Where the literal parts do not fit, the template has nothing to do with it.
    expect(table.publicUri('b', 'db://users/columns')).toBe('db://users/columns')
    table.setServers(['b', 'a'])
    expect(table.route('db://users/rows')?.server).toBe('b')
  })

  it('a mention counts where nobody offers the URI', () => {
    const table = new UriTable(['a', 'b', 'c'])
    expect(table.linkedUri('b', 'db://1')).toBe('db://1')
    expect(table.linkedUri('a', 'db://1')).toBe('parley://servers/a/db%3A%2F%2F1')
    table.learn('c', [], ['db://{row}'])
    expect(table.linkedUri('b', 'db://1')).toBe('parley://servers/b/db%3A%2F%2F1')
    expect(table.route('db://1')?.server).toBe('c')
  })

  it('many templates with one beginning cost no more than a few: the beginning is enough then', () => {
    const table = new UriTable(['a', 'b'])
    const templates = Array.from({ length: 101 }, (_, count) => `db://{table}/${count}`)
    table.learn('a', [], templates.slice(1))
    expect(table.route('db://users/0')).toBeUndefined()
    table.learn('a', [], templates)
    expect(table.route('db://users/else')?.server).toBe('a')
  })

  it('hostile templates and URIs are over soon, and what cannot be matched is published in a form that leads there by itself', () => {
    const many = Array.from({ length: 1900 }, (_, length) => `db://${'y'.repeat(length)}{name}!`)
    const long = Array.from({ length: 100 }, (_, count) => `web://{x}${'/{x}'.repeat(4000)}#${count}{x}`)
    const uris = Array.from({ length: 1500 }, (_, count) => `db://${'y'.repeat(3900)}${count}`)
    const paths = Array.from({ length: 500 }, (_, count) => `web://${'/abc'.repeat(5000)}${count}`)
    const readPart = (part: number): { table: UriTable; time: number } => {
      const of = (list: readonly string[]): string[] => list.filter((_, at) => at % part === 0)
      const table = new UriTable(['a', 'b'])
      const began = processorTime()
      table.learn('a', [], [...of(many), ...of(long)])
      table.learn('b', [...of(uris), ...of(paths)])
      for (const uri of [...of(uris), ...of(paths)]) table.listedUri('b', uri)
      return { table, time: processorTime() - began }
    }
    readPart(10)
    const { table, time } = readPart(1)
    // In proportion it is 10 times as long, by the square 100 times.
    expect(time).toBeLessThan(40 * Math.max(20, readPart(10).time))
    expect(table.matches('a', many[0] ?? '')).toBe(true)
    expect(table.matches('a', long[0] ?? '')).toBe(false)
    expect(table.route(table.publicTemplate('a', long[0] ?? ''))?.server).toBe('a')
    expect(table.publicUri('b', paths[0] ?? '')).toBe(paths[0])
  })

  it('of two servers with one template the first is asked, whoever speaks of a URI, and the second publishes a template of its own', () => {
    const table = new UriTable(['a', 'b'])
    for (const name of ['a', 'b']) table.learn(name, [], ['file:///{path}'])
    expect(table.linkedUri('b', 'file:///x')).toBe('parley://servers/b/file%3A%2F%2F%2Fx')
    expect(table.linkedUri('a', 'file:///x')).toBe('file:///x')
    expect(table.route('file:///x')?.server).toBe('a')
    expect(table.publicTemplate('a', 'file:///{path}')).toBe('file:///{path}')
    expect(table.publicTemplate('b', 'file:///{path}')).toBe('parley://templates/b/file:///{path}')
    expect(table.route('parley://templates/b/file:///a%20b?c#d')).toEqual({ server: 'b', uri: 'file:///a%20b?c#d' })
  })

  it('a template whose URIs would go to another server is not published as it is', () => {
    const table = new UriTable(['a', 'b'])
    table.learn('a', [], ['db://{table}'])
    table.learn('b', [], ['db://{table}/{row}', 'db://b/{row}'])
    expect(table.publicTemplate('b', 'db://{table}/{row}')).toBe('parley://templates/b/db://{table}/{row}')
    expect(table.publicTemplate('b', 'db://b/{row}')).toBe('parley://templates/b/db://b/{row}')
    table.setServers(['b', 'a'])
    expect(table.publicTemplate('b', 'db://b/{row}')).toBe('db://b/{row}')
  })

  it.each([
    'parley://servers/',
    'parley://servers/a',
    'parley://servers/nobody/x',
    'parley://servers/a/%E0%A4%A',
    'parley://servers/%ff/x',
    'nothing:known',
  ])('leads nowhere: %s', (given) => {
    const table = new UriTable(['a'])
    table.learn('a', ['file:///x'], ['db://{row}'])
    expect(table.route(given)).toBeUndefined()
  })

  it('remembers a bounded number of mentions, the latest ones', () => {
    const table = new UriTable(['a'])
    for (let count = 0; count <= 10_000; count++) table.linkedUri('a', `x:${count}`)
    expect(table.route('x:0')).toBeUndefined()
    expect(table.route('x:1')?.server).toBe('a')
    expect(table.route('x:10000')?.server).toBe('a')
  })

  it('publishes what it could not remember in a form that needs no memory', () => {
    const table = new UriTable(['a'])
    const long = `x:${'y'.repeat(5000)}`
    expect(table.linkedUri('a', long)).toMatch(/^parley:\/\/servers\/a\//)
    expect(table.route(long)).toBeUndefined()
  })

  it('forgets servers that are gone', () => {
    const table = new UriTable(['a', 'b'])
    table.learn('a', ['file:///x'], ['db://{row}'])
    table.linkedUri('a', 'y:1')
    table.setServers(['b'])
    table.learn('a', ['file:///x'])
    for (const given of ['file:///x', 'db://1', 'y:1', 'parley://servers/a/y'])
      expect(table.route(given)).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../../processor-time.fixtures.ts'
import { isTemplate, type TemplateValue, UriTemplate } from './template.ts'

// The variables and the expected expansions of RFC 6570, sections 2.4 and 3.2.
const values: Record<string, TemplateValue> = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  undef: null,
}

const expansions: [string, string][] = [
  ['{count}', 'one,two,three'],
  ['{count*}', 'one,two,three'],
  ['{/count}', '/one,two,three'],
  ['{/count*}', '/one/two/three'],
  ['{;count}', ';count=one,two,three'],
  ['{;count*}', ';count=one;count=two;count=three'],
  ['{?count}', '?count=one,two,three'],
  ['{?count*}', '?count=one&count=two&count=three'],
  ['{&count*}', '&count=one&count=two&count=three'],
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['?{undef,y}', '?768'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{list}', 'red,green,blue'],
  ['{list*}', 'red,green,blue'],
  ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
  ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
  ['{+var}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['O{+empty}X', 'OX'],
  ['O{+undef}X', 'OX'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{+list}', 'red,green,blue'],
  ['{+keys}', 'semi,;,dot,.,comma,,'],
  ['{+keys*}', 'semi=;,dot=.,comma=,'],
  ['{#var}', '#value'],
  ['{#hello}', '#Hello%20World!'],
  ['{#half}', '#50%25'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['{#path:6}/here', '#/foo/b/here'],
  ['{#keys*}', '#semi=;,dot=.,comma=,'],
  ['{.who}', '.fred'],
  ['{.who,who}', '.fred.fred'],
  ['{.half,who}', '.50%25.fred'],
  ['www{.dom*}', 'www.example.com'],
  ['X{.var}', 'X.value'],
  ['X{.empty}', 'X.'],
  ['X{.undef}', 'X'],
  ['X{.var:3}', 'X.val'],
  ['X{.list}', 'X.red,green,blue'],
  ['X{.list*}', 'X.red.green.blue'],
  ['X{.keys*}', 'X.semi=%3B.dot=..comma=%2C'],
  ['X{.empty_keys}', 'X'],
  ['X{.empty_keys*}', 'X'],
  ['{/who,who}', '/fred/fred'],
  ['{/half,who}', '/50%25/fred'],
  ['{/who,dub}', '/fred/me%2Ftoo'],
  ['{/var,empty}', '/value/'],
  ['{/var,undef}', '/value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/var:1,var}', '/v/value'],
  ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
  ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
  ['{;who}', ';who=fred'],
  ['{;half}', ';half=50%25'],
  ['{;empty}', ';empty'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;v,bar,who}', ';v=6;who=fred'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{;hello:5}', ';hello=Hello'],
  ['{;keys}', ';keys=semi,%3B,dot,.,comma,%2C'],
  ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
  ['{?who}', '?who=fred'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{?var:3}', '?var=val'],
  ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
  ['{&half}', '&half=50%25'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&var:3}', '&var=val'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
]

describe('F2 RFC 6570 expansion', () => {
  it.each(expansions)('%s → %s', (template, expected) => {
    expect(new UriTemplate(template).expand(values)).toBe(expected)
  })

  it('encodes literals and does not read inherited properties', () => {
    expect(new UriTemplate('é {toString}').expand({})).toBe('%C3%A9%20')
  })

  it('survives half a surrogate pair', () => {
    expect(new UriTemplate('{x}').expand({ x: '\ud800' })).toBe('%EF%BF%BD')
  })
})

const matches: [string, string, Record<string, string | string[]> | undefined][] = [
  ['users://{id}/profile', 'users://42/profile', { id: '42' }],
  ['users://{id}/profile', 'users://a%2Fb%20c/profile', { id: 'a/b c' }],
  ['users://{id}/profile', 'users://a@b.c/profile', { id: 'a@b.c' }],
  ['users://{id}/profile', 'users://é/profile', { id: 'é' }],
  ['users://{id}/profile', 'users:///profile', undefined],
  ['users://{id}/profile', 'users://1/2/profile', undefined],
  ['users://{id}/profile', 'users://1/profile/', undefined],
  ['users://{id}/profile', 'users://%E0%A4%A/profile', undefined],
  ['file:///{+path}', 'file:///a/b%20c.txt', { path: 'a/b c.txt' }],
  ['file:///{+path}', 'file:///a%2Fb', { path: 'a%2Fb' }],
  ['{+dir}/{name}.{ext}', 'a/b/c.tar.gz', { dir: 'a/b', name: 'c.tar', ext: 'gz' }],
  ['{a}-{b}', 'x-y-z', { a: 'x-y', b: 'z' }],
  ['geo://{at}', 'geo://48.85,2.35', { at: '48.85,2.35' }],
  ['geo://{lat,lon}', 'geo://48.85,2.35', { lat: '48.85', lon: '2.35' }],
  ['geo://{lat,lon}', 'geo://1', { lat: '1' }],
  ['geo://{lat,lon}', 'geo://1,2,3', undefined],
  ['x{#frag}', 'x#a/b?c', { frag: 'a/b?c' }],
  ['x{#frag}', 'x', {}],
  ['{+path}{?q}{#frag}', 'a/b?q=1#z', { path: 'a/b', q: '1', frag: 'z' }],
  ['X{.name,ext}', 'X.a.b', { name: 'a', ext: 'b' }],
  ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
  ['{/list*}', '/red/green', { list: ['red', 'green'] }],
  ['{/a,b}/here', '/1/2/here', { a: '1', b: '2' }],
  ['{/a,b}/here', '/1/here', { a: '1' }],
  ['{/a}', '/1/2', undefined],
  ['find{?q,lang}', 'find?q=a%20b&lang=en', { q: 'a b', lang: 'en' }],
  ['find{?q,lang}', 'find?lang=en&q=x', { q: 'x', lang: 'en' }],
  ['find{?q,lang}', 'find', {}],
  ['find{?q}', 'find?q=1&evil=2', undefined],
  ['find{?q}', 'find?q=1&q=2', undefined],
  ['find{?q*}', 'find?q=1&q=2', { q: ['1', '2'] }],
  ['find{?q}{&page}', 'find?q=1&page=2', { q: '1', page: '2' }],
  ['find?fixed=1{&x}', 'find?fixed=1&x=2', { x: '2' }],
  ['m{;x,flag}', 'm;x=1;flag', { x: '1', flag: '' }],
  ['{/seg}{;v}', '/a;v=1', { seg: 'a', v: '1' }],
  ['{x:1}/{x}', 'v/value', { x: 'value' }],
  ['{x:1}/{x}', 'w/value', undefined],
  ['{x:2}', 'abc', undefined],
  ['{x}/{x}', 'a/b', undefined],
  ['{x}/{x}', 'a/a', { x: 'a' }],
  ['é/{x}', '%c3%a9/1', { x: '1' }],
]

describe('F2 template matching', () => {
  it.each(matches)('%s on %s', (template, uri, expected) => {
    expect(new UriTemplate(template).match(uri)).toEqual(expected)
  })

  it('gives back what was expanded', () => {
    const templates = [
      'users://{id}/profile/{other}',
      'a{?id,other}',
      'x{/id}{;other}',
      '{id}/{+other}',
      'q/{id}{#other}',
      'z{.id}/{other}',
    ].map((source) => new UriTemplate(source))
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.stringMatching(/^[a-z0-9/]{1,20}$/),
        (template, id, other) => {
          expect(template.match(template.expand({ id, other }))).toEqual({ id, other })
        },
      ),
    )
  })

  it('expands what was matched to an equal URI, for any input', () => {
    const template = new UriTemplate('a/{x}{/y*}{?q,r}')
    fc.assert(
      fc.property(fc.stringMatching(/^a\/[a-z%20/?=&qr]{0,30}$/), (uri) => {
        const found = template.match(uri)
        if (found === undefined) return
        expect(template.match(template.expand(found))).toEqual(found)
      }),
    )
  })

  it('never throws and is quick on hostile input', () => {
    const template = new UriTemplate('{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}!')
    const started = processorTime()
    expect(template.match(`${'-a'.repeat(4000)}`)).toBeUndefined()
    expect(template.match(`${'-a'.repeat(4000)}!`)).toMatchObject({ b: 'a', h: 'a' })
    expect(template.match('-'.repeat(1_000_000))).toBeUndefined()
    expect(processorTime() - started).toBeLessThan(500)
    fc.assert(fc.property(fc.string(), (uri) => void template.match(uri)))
  })

  it('takes time in proportion to the URI, whatever the template', () => {
    const template = new UriTemplate(`${'{a}-'.repeat(49)}{b}`)
    const timeOf = (length: number): number => {
      const uri = 'a-'.repeat(length)
      const started = processorTime()
      for (let round = 0; round < 20; round++) template.match(uri)
      return processorTime() - started
    }
    timeOf(1000)
    // In proportion it is 4 times as long, by the square 16 times.
    expect(timeOf(8000)).toBeLessThan(10 * Math.max(5, timeOf(2000)))
    expect(() => new UriTemplate('{a}-'.repeat(51))).toThrow('51 expressions; at most 50 can be matched')
  })

  it('keeps a variable called __proto__ to itself', () => {
    const found = new UriTemplate('{__proto__}').match('x')
    expect(Object.keys(found ?? {})).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

describe('malformed templates', () => {
  it.each([
    '{',
    '}',
    'a{b',
    'a}b',
    '{}',
    '{a b}',
    '{a,}',
    '{=x}',
    '{!x}',
    '{x:0}',
    '{x:99999}',
    '{x**}',
    '{{x}}',
    '{.}',
  ])('%s is refused', (source) => {
    expect(() => new UriTemplate(source)).toThrow(TypeError)
  })

  it('refuses a list that does not come last where it could not be told apart', () => {
    expect(() => new UriTemplate('{list*,x}').compile()).toThrow('must come last')
  })

  it('knows a template from a URI', () => {
    expect(isTemplate('a://b/{c}')).toBe(true)
    expect(isTemplate('a://b/c')).toBe(false)
  })
})

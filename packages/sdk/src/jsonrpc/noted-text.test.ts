import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longNumber, membersText, objectText, valueText } from './long-numbers.fixtures.ts'
import type { Body } from './message.ts'
import { memberAsNoted, noteCopiedResult, noteCopy, noteParts, noteText, partAsNoted } from './noted-text.ts'
import { resultText } from './serialise.ts'

function read(json: string): Body {
  const result = JSON.parse(json) as Body
  noteParts(json, result)
  return result
}

/** The result in an answer with that id. */
function written(result: Body): string {
  return resultText(1, result).slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)
}

const LONG = '"structuredContent":{"order":12345678901234567890,"sum":1.10}'

describe('X1 parts of a result that nobody touches', () => {
  it('keep their digits beside what is added and what is left out', () => {
    const { gone, ...rest } = read(`{"content":[],"gone":{},${LONG}}`)
    expect(gone).toEqual({})
    expect(written({ resultType: 'complete', ...rest, isError: undefined })).toBe(
      `{"resultType":"complete","content":[],${LONG}}`,
    )
  })

  it('are written as they are now when they are others', () => {
    const result = read(`{"content":[1],${LONG}}`)
    expect(written({ ...result, structuredContent: { ...(result['structuredContent'] as Body), sum: 2 } })).toBe(
      `{"content":[1],"structuredContent":{"order":12345678901234567000,"sum":2}}`,
    )
  })

  it('are found wherever they are put, by whatever name', () => {
    const { structuredContent } = read(`{${LONG}}`)
    expect(written({ 'a "name"': structuredContent })).toBe(`{"a \\"name\\"":${LONG.slice(LONG.indexOf('{'))}}`)
  })

  it.each([
    ['after a name that looks like a number', `{"b":1,"7":[2],${LONG}}`, `{"7":[2],"b":1,${LONG}}`],
    ['after names with escapes', `{"a \\"{":[1],"\\u0062":"}",${LONG}}`, `{"a \\"{":[1],"b":"}",${LONG}}`],
    ['with blanks between', `{ "content" : [ 1 ] ,\t${LONG} }`, `{"content":[1],${LONG}}`],
    ['as the only member', `{${LONG}}`, `{${LONG}}`],
  ])('keep their digits %s', (_, json, expected) => {
    expect(written(read(json))).toBe(expected)
  })

  it.each([
    ['short ones without long numbers', '{"content":[{"f":1.10}]}'],
    ['a member that is there twice', `{${LONG},"structuredContent":{"f":1.10}}`],
    ['a member that is there twice, with others between', `{"a":{"f":1.10},${LONG},"a":{"g":2}}`],
    ['several lines', `{"a":{"f":1.10},\n${LONG}}`],
  ])('are not noted for %s, which are written as ever', (_, json) => {
    const result = read(json)
    expect(written(result)).toBe(JSON.stringify(JSON.parse(json)))
  })

  it('property: whatever a result is made of, what is written reads the same', () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(members, fc.nat({ max: 2000 }), (made, length) => {
        const given = { ...(JSON.parse(JSON.stringify(made)) as Body), text: ['x'.repeat(length)] }
        const result = read(JSON.stringify(given))
        expect(JSON.parse(written({ first: 1, ...result }))).toEqual({ first: 1, ...result })
      }),
    )
  })
})

describe('X1 a result that nobody touches', () => {
  const inner = '"content":[{"text":"\\u00e9"}],"isError":false'

  function kept(json: string, leave: (result: Body) => Body = (result) => result): Body {
    const result = JSON.parse(json) as Body
    const left = leave(result)
    noteText(json, result, left)
    return left
  }

  it('is written in the words it came in, however short', () => {
    expect(written(kept(`{${inner}}`))).toBe(`{${inner}}`)
  })

  it('is so without what was taken out of it, before, between or behind', () => {
    const leave = ({ kind: _, _meta, ...rest }: Body): Body => rest
    const read = (json: string): string => written(kept(json, leave))
    expect(read(`{"kind":"x",${LONG},${inner},"_meta":{"a":[1]}}`)).toBe(`{${LONG},${inner}}`)
    expect(read(`{"_meta":{"}":"{"},"content":[],"kind":"\\"","n":1.10,${LONG}}`)).toBe(
      `{"content":[],"n":1.10,${LONG}}`,
    )
    expect(read('{"kind":"1234567890123456","_meta":{}}')).toBe('{}')
  })

  it.each(['valueOf', 'constructor', 'toString', '__proto__'])('is so without a member called %s', (name) => {
    const leave = (result: Body): Body => Object.fromEntries(Object.entries(result).filter(([other]) => other !== name))
    expect(written(kept(`{"${name}":0,${LONG}}`, leave))).toBe(`{${LONG}}`)
  })

  it('is so with a part in place of another', () => {
    const leave = ({ _meta, ...rest }: Body): Body => ({ ...rest, _meta: { b: 2 } })
    expect(written(kept(`{"_meta":{"a":1,"b":2},"n":1.10,${LONG}}`, leave))).toBe(`{"_meta":{"b":2},"n":1.10,${LONG}}`)
  })

  it('is so with what is left of a part, by itself as well', () => {
    const leave = ({ _meta, ...rest }: Body): Body => {
      const { gone: _, ...others } = _meta as Body
      return { ...rest, _meta: others }
    }
    const left = '"_meta":{"id":12345678901234567890,"in":{"x":1.10}}'
    const { kind: _, ...result } = kept(
      `{"_meta":{"id":12345678901234567890,"gone":{"}":1},"in":{"x":1.10}},"kind":1,"n":1.10}`,
      leave,
    )
    expect(written({ other: 1, ...result })).toBe(`{"other":1,"n":1.1,${left}}`)
    expect(written(kept(`{"n":1.10,"_meta":{"gone":1,"id":12345678901234567890,"in":{"x":1.10}}}`, leave))).toBe(
      `{"n":1.10,${left}}`,
    )
  })

  it.each([
    [
      'has got a member',
      '{"a":1.10,"b":"1234567890123456"}',
      (part: Body) => ({ ...part, c: 3 }),
      '{"a":1.1,"b":"1234567890123456","c":3}',
    ],
    ['has lost all', '{"a":1.10,"b":"1234567890123456"}', () => ({}), '{}'],
    ['is no object any more', '{"a":1.10,"b":"1234567890123456"}', () => 7, '7'],
    ['was none before', '["1234567890123456"]', () => ({ a: 1 }), '{"a":1}'],
    ['is a list', '["1234567890123456"]', () => [2], '[2]'],
    ['had a member twice', '{"a":["1234567890123456"],"a":[1.10],"b":2}', ({ a }: Body) => ({ a }), '{"a":[1.1]}'],
  ])('is written with a part as it is now when that %s', (_, json, change, expected) => {
    const leave = (result: Body): Body => ({ ...result, part: change(result['part'] as Body) })
    expect(written(kept(`{"part":${json},${LONG}}`, leave))).toBe(`{"part":${expected},${LONG}}`)
  })

  it('is written anew without what was taken out of it when that is sooner done', () => {
    expect(written(kept('{"kind":"x","n":1.10}', ({ kind: _, ...rest }) => rest))).toBe('{"n":1.1}')
  })

  it('is noted for itself alone: no copy has its words, whoever may not be added to has them as well', () => {
    const result = Object.freeze(kept('{"n":1.10}'))
    expect(Reflect.ownKeys(result)).toEqual(['n'])
    expect(written({ ...result })).toBe('{"n":1.1}')
    noteText('{"n":1.100}', result, result)
    expect(written(result)).toBe('{"n":1.100}')
  })

  it('is written anew when something was made of it, but for its parts', () => {
    const result = kept(`{"content":[{"n":1.10}],${LONG}}`)
    expect(written({ ...result, resultType: 'complete' })).toBe(
      `{"content":[{"n":1.1}],${LONG},"resultType":"complete"}`,
    )
  })

  it.each(['{ }', '{ "n":1.10}'])('%s is written as ever: what is set before its members would not fit', (json) => {
    expect(written(kept(json))).toBe(JSON.stringify(JSON.parse(json)))
  })

  it.each([
    ['short', '"content":[{"text":"first"}],"content":[{"text":"last"}]'],
    ['short, with others between', '"content":["first"],"isError":false,"content":["last"]'],
    ['short, with an escape in its name', '"content":["first"],"c\\u006fntent":["last"]'],
    ['short, and empty', '"":1,"":2'],
    [
      'short, with braces, quotes and backslashes in what is between',
      '"a":"}\\\\\\"{","b":[{"c":["]",{}]}, [ ]] , "n" : -1.5e3 ,"b":null',
    ],
    ['long', `"content":["first"],"content":["last"],"text":["${'x'.repeat(600)}"]`],
    ['long for its digits', `"content":["first"],"content":["last"],${LONG}`],
  ])(
    'is written as it was read when a member is there twice, because a reader may take the other one (%s)',
    (_, members) => {
      const json = `{${members}}`
      expect(JSON.parse(written(kept(json)))).toEqual(JSON.parse(json))
      expect(written(kept(json))).toBe(JSON.stringify(JSON.parse(json)))
    },
  )

  it('may have the same names at different depths', () => {
    const json = '{"a":{"a":[{"a":1.10}]},"b":{"a":1.10}}'
    expect(written(kept(json))).toBe(json)
  })

  it('property: what is left of a result reads as it should', () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(members, fc.nat({ max: 6 }), fc.nat({ max: 2000 }), (made, out, length) => {
        const given = { ...(JSON.parse(JSON.stringify(made)) as Body), text: ['x'.repeat(length)] }
        const names = Object.keys(given)
        const left = kept(JSON.stringify(given), (result) =>
          Object.fromEntries(Object.entries(result).filter(([name]) => name !== names[out])),
        )
        expect(JSON.parse(written(left))).toEqual(left)
      }),
    )
  })
})

describe('X1 what is made of a noted body', () => {
  const kept = (json: string): Body => {
    const result = JSON.parse(json) as Body
    noteText(json, result, result)
    return result
  }

  it('has the words of all that is the same, beside what was added and what took the place of something', () => {
    const original = kept(`{"a":{"b":1.10},${LONG},"n":12345678901234567890,"m":2.50}`)
    const copy = { first: [1], ...original, m: 3 }
    noteCopy(copy, original)
    expect(written(copy)).toBe(`{"first":[1],"a":{"b":1.10},${LONG},"n":12345678901234567890,"m":3}`)
  })

  it('has none where nothing was noted, or a member is there twice', () => {
    const twice = read('{"part":{"a":[1.10],"a":[12345678901234567890]}}')['part'] as Body
    for (const original of [{ n: 1 }, twice]) {
      const copy = { ...original, m: 1 }
      noteCopy(copy, original)
      expect(partAsNoted(copy)).toBeUndefined()
    }
  })

  it('is looked for in a result only because of a number, which has no words of its own', () => {
    const [one, other] = [kept(`{"content":[],${LONG}}`), kept(`{"n":1.10,${LONG}}`)]
    const [copyOfOne, copyOfOther] = [{ ...one }, { ...other }]
    noteCopiedResult(copyOfOne, one)
    noteCopiedResult(copyOfOther, other)
    expect([partAsNoted(copyOfOne), partAsNoted(copyOfOther)]).toEqual([undefined, `{"n":1.10,${LONG}}`])
  })

  it('property: every number of a body is found by its name, in whatever text it came', () => {
    const blank = fc.constantFrom('', ' ', '\t')
    fc.assert(
      fc.property(membersText, longNumber, blank, (members, number, gap) => {
        const json = `{${gap}"the number"${gap}:${gap}${number}${gap},"others":${objectText(members)}${gap}}`
        expect(memberAsNoted(kept(json), 'the number')).toBe(number)
      }),
    )
  })

  it('property: whatever it is made of, each member that is the same has all its digits', () => {
    fc.assert(
      fc.property(membersText, valueText, (members, value) => {
        const original = read(`{"_meta":${objectText({ ...members, value })},"n":12345678901234567890}`)[
          '_meta'
        ] as Body
        const copy = { ...original, added: true }
        noteCopy(copy, original)
        expect(written({ _meta: copy })).toBe(`{"_meta":${objectText({ ...members, value, added: 'true' })}}`)
      }),
    )
  })
})

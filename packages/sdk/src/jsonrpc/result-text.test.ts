/** The text of a result as the peer wrote it: the whole of it, or nothing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../processor-time.fixtures.ts'
import { parse } from './parse.ts'
import { resultIn } from './result-text.ts'
import { resultText } from './serialise.ts'

const member = (name: string, value: string): string => `${JSON.stringify(name)}:${value}`
const usual = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const resultFirst = (id: string, result: string): string => `{"result":${result},"jsonrpc":"2.0","id":${id}}`

/** Strings that look like the ends of things. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'result', 'é', '\u{1F600}', '\u2028', '\ud800'),
  }),
)
const body = fc.dictionary(text, fc.jsonValue({ maxDepth: 4 }))
const id = fc.oneof(fc.maxSafeInteger(), text)

/** JSON as text, with the spaces, digits, escapes and repeated keys that a value in memory has lost. */
const space = (also: string[]): fc.Arbitrary<string> => fc.constantFrom('', '', '', ' ', '\t', ...also)
function json(also: string[] = []): fc.Arbitrary<string> {
  const key = fc.constantFrom('"a"', '"result"', '"id"', '"}"', '"\\u007d"', '"\\\\"', '"\\""')
  const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
    object: fc
      .array(fc.tuple(space(also), key, space(also), tie('value')), { maxLength: 4 })
      .map(
        (members) =>
          `{${members.map(([before, name, between, value]) => `${before}${name}${between}:${value}`).join(',')}}`,
      ),
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(
        '0',
        '-1.50',
        '1e400',
        '123456789012345678901234567890',
        'true',
        'null',
        '"\\u00e9"',
        '"{"',
        '"\\\\\\""',
      ),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    ),
  }))
  return object
}

describe('resultIn', () => {
  it('gives what was written, in both usual orders of members, for any result and any plain id', () => {
    fc.assert(
      fc.property(body, fc.maxSafeInteger(), (result, number) => {
        const written = JSON.stringify(result)
        const short = number % 1e15
        for (const frame of [usual(String(short), written), resultFirst(String(short), written)]) {
          expect(resultIn(frame)).toBe(/__proto__|\\u00(5f|6f|7[024])/.test(frame) ? undefined : written)
        }
      }),
    )
  })

  it('is never more or less than the result, whatever the id', () => {
    fc.assert(
      fc.property(body, id, (result, given) => {
        const written = JSON.stringify(result)
        const name = JSON.stringify(given)
        for (const frame of [usual(name, written), resultFirst(name, written), resultText(given, result)])
          expect([undefined, written]).toContain(resultIn(frame))
      }),
    )
  })

  it('keeps digits, escapes, spaces and repeated keys', () => {
    fc.assert(
      fc.property(json(), (written) => {
        expect([resultIn(usual('1', written)), resultIn(resultFirst('"a"', written))]).toEqual([written, written])
      }),
    )
    expect(resultIn(usual('1', '{"n":9007199254740993,"x":1.10}'))).toBe('{"n":9007199254740993,"x":1.10}')
  })

  it('gives nothing, or exactly the result, for frames with other members, in other orders and over several lines', () => {
    const members = fc.tuple(
      fc.constantFrom('1', '"x"', '-3', '1.5', '12345678901234567', 'null', '"a\\"b"'),
      json(['\n', '\r\n']),
      fc.array(fc.tuple(fc.constantFrom('id', 'jsonrpc', 'result', 'x', ''), json()), { maxLength: 2 }),
    )
    const frames = members.chain(([name, result, others]) =>
      fc
        .tuple(
          fc.shuffledSubarray([
            member('jsonrpc', '"2.0"'),
            member('id', name),
            member('result', result),
            ...others.map(([key, value]) => member(key, value)),
          ]),
          space(['\n']),
        )
        .map(([parts, between]) => ({ parts, frame: `${between}{${parts.join(`,${between}`)}}` })),
    )
    fc.assert(
      fc.property(frames, ({ frame, parts }) => {
        // As for readers of JSON, the last of several counts.
        const last = parts.filter((part) => part.startsWith('"result":')).at(-1)
        expect([undefined, last?.slice('"result":'.length)]).toContain(resultIn(frame))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"{}"}}'],
    ['a batch', `[${usual('1', '{}')}]`],
    ['a list in place of a result', usual('1', '[]')],
    ['a member behind the result', '{"jsonrpc":"2.0","id":1,"result":{},"x":1}'],
    ['a second result', '{"jsonrpc":"2.0","id":1,"result":{"a":1},"result":{"b":2}}'],
    ['a second result at the end', '{"result":{"a":1},"jsonrpc":"2.0","id":1,"result":{"b":2}}'],
    ['another order', '{"id":1,"jsonrpc":"2.0","result":{}}'],
    ['spaces between the members', '{ "jsonrpc": "2.0", "id": 1, "result": {} }'],
    ['several lines', usual('1', '{\n}')],
    ['half a result', '{"jsonrpc":"2.0","id":1,"result":{"a":"}'],
    ['nothing', ''],
  ])('gives nothing for %s', (_, frame) => {
    expect(resultIn(frame)).toBeUndefined()
  })

  it.each(['"__proto__"', '"\\u005f_proto__"', '"__pr\\u006Fto__"', '"__pro\\u0074o__"'])(
    'gives nothing where reading takes %s away',
    (key) => {
      const frame = usual('1', `{${key}:{"polluted":1},"a":{}}`)
      expect(parse(frame)).toMatchObject({ kind: 'result', message: { result: { a: {} } } })
      expect(Object.keys((parse(frame) as { message: { result: object } }).message.result)).toEqual(['a'])
      expect(resultIn(frame)).toBeUndefined()
    },
  )

  it('takes time in proportion to the text', () => {
    const long = usual('1', `{"a":"${'\\\\'.repeat(500_000)}"}`)
    const before = processorTime()
    expect(resultIn(long)).toHaveLength(long.length - usual('1', '').length)
    expect(processorTime() - before).toBeLessThan(2000)
  })
})

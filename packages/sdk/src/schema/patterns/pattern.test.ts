import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { processorTime } from '../../processor-time.fixtures.ts'
import { validatePlain } from '../plain.ts'
import { examine } from './pattern.ts'

function longestOf(source: string): number | string {
  const found = examine(source)
  return typeof found === 'string' ? found : found.longest
}

describe('F1 patterns that can run for ever are found', () => {
  it.each([
    '(a+)+$',
    '(a|a)*b',
    '(a|aa)+$',
    '(a*)*b',
    '(\\s*\\w+\\s*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a|b|ab)*c',
    '^(\\d+|\\w+)*$',
    '(\\u{12345}|\\u{12345})*x',
    '([\\u4e00-\\u4e05]|\\u4e03)*x',
    '(?=(a+)+b)',
    '(x+x+)+y',
    '(?<name>[a-z]*)*1',
    '(a|a){30}b',
    '((a|a){8}){8}b',
    `${'(a|a)'.repeat(40)}b`,
    `${'a?'.repeat(30)}${'a'.repeat(30)}`,
    '(?:[a-z]{2}|[a-z]{3})*!',
    '(?:a?){19}a{19}b',
    '^(a?){20}a{20}$',
    '^(?:x+(?:a|a)){8}(?:y+(?:a|a)){8}b',
    `${'(?:|)'.repeat(25)}b`,
    `${'(?:a?|b?)'.repeat(20)}c`,
    '^(?:(?:a?|b?)(?:c?|d?))*e',
    '^(a*)\\1*b$',
    '^(?:(a?)\\1)*b$',
    '^(?:(?=a*b)a)*$',
    '^(?:a(?<=c*a))*$',
    '(?:\\p{Script=Ogham}|[\\p{Script=Ogham}])*x',
    '(?:[\\ud83d\\ude00-\\ud83d\\ude05]|\\ud83d\\ude03)*x',
    '(?:[\\u1f00-\\u20ff]|\\s)*x',
    '(?:[^\\u{1f600}]|[\\ud83d\\ude01-\\ud83d\\ude05])*x',
  ])('%s', (source) => {
    expect(examine(source)).toMatch(/exponential/)
  })
})

describe('F1 patterns people write are allowed', () => {
  it.each([
    '^[a-z]+$',
    '^([a-z]+-)*[a-z]+$',
    '^(?:[^%]|%[0-9a-f]{2})*$',
    '^"([^"\\\\]|\\\\.)*"$',
    '.+',
    '(ab|ac)*d',
    '^(?:[0-9a-zA-Z+/]{4})*$',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^([a-z]{1,63}\\.){1,127}$',
    '(a?)*',
    '^((?!-)[A-Za-z0-9-]{1,63}(?<!-)\\.)+[A-Za-z]{2,6}$',
    '^(["`])[^"`]*\\1$',
    '^\\s+|\\s+$',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$',
  ])('%s', (source) => expect(longestOf(source)).toBeGreaterThan(4000))

  it('all that zod puts into its schemas', () => {
    const sources = Object.entries(z.regexes).flatMap(([name, regex]) =>
      regex instanceof RegExp && name !== 'rfc5322Email' ? [regex.source] : [],
    )
    expect(sources.length).toBeGreaterThan(40)
    for (const source of sources) expect([source, examine(source)]).toEqual([source, expect.any(Object)])
  })
})

describe('F1 the longest text follows from the exponent', () => {
  it.each([
    ['^a*$', Number.POSITIVE_INFINITY],
    ['a+', Number.POSITIVE_INFINITY],
    ['a+b', 10_000],
    ['a+$', 14_142],
    ['^a*a*b', 6324],
    ['^a*a*a*b', 262],
    ['^a*a*b*b*c*c*d*d*e', 20],
    ['^x(?=a*b)a*$', 5773],
    ['^a*,a*,a*b', Number.POSITIVE_INFINITY],
  ])('%s', (source, longest) => {
    const found = longestOf(source)
    if (longest === Number.POSITIVE_INFINITY) expect(found).toBe(longest)
    else expect(found).toBeCloseTo(longest, -1)
  })
})

describe('F1 the examination itself is bounded', () => {
  it('in length and in work', () => {
    expect(examine('a'.repeat(3000))).toMatch(/longer than 2000/)
    expect(examine('a*'.repeat(900))).toMatch(/too complex/)
    const many = Array.from({ length: 400 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('|')
    expect(examine(`(${many})*x`)).toMatch(/too complex/)
    expect(longestOf(many)).toBe(Number.POSITIVE_INFINITY)
  })

  it('for any text whatever', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '[^a]',
      '(',
      ')',
      '(?:',
      '(?=',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{1,}',
      '{0,9}',
      '^',
      '$',
      '\\b',
      '\\1',
      '\\p{L}',
      '[',
      ']',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const source = pieces.join('')
        const found = examine(source)
        if (typeof found === 'string') return
        expect(found.longest).toBeGreaterThan(0)
        // Whatever is passed as harmless is: twenty-five characters never make an engine stall.
        const start = processorTime()
        for (const text of ['a'.repeat(25), 'ab'.repeat(12), `${'a'.repeat(24)}!`, `${'1'.repeat(24)}!`])
          new RegExp(source, 'u').test(text)
        expect(processorTime() - start).toBeLessThan(1000)
      }),
      { numRuns: 2000 },
    )
  })
})

/** Patterns out of pieces that are known to go together badly. */
const hostile = fc.letrec<{ pattern: string }>((tie) => {
  const inner = tie('pattern')
  return {
    pattern: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '.', 'a?', '\\w', '\\b', '^', '$', '(?=a)', '[^b]', '(?!b)', '(?:|)', '(a)\\1'),
      fc
        .tuple(inner, fc.constantFrom('*', '+', '?', '{2,}', '{0,9}', '*?', '{30}', '{1,40}'))
        .map(([body, times]) => `(?:${body})${times}`),
      fc.tuple(inner, inner).map(([left, right]) => left + right),
      fc
        .tuple(inner, inner, fc.constantFrom('*', '+', '', '?'))
        .map(([left, right, times]) => `(?:${left}|${right})${times}`),
      fc.tuple(inner, inner).map(([aside, body]) => `(?=${aside})${body}`),
    ),
  }
}).pattern

describe('F1 what is allowed keeps its promise', () => {
  it('within the length that was granted, a match is over soon', () => {
    let allowed = 0
    fc.assert(
      fc.property(fc.constantFrom('', '^'), hostile, fc.constantFrom('$', 'x', '', 'b$'), (start, middle, end) => {
        const source = start + middle + end
        const granted = examine(source)
        if (typeof granted === 'string') return
        allowed++
        const length = Math.min(granted.longest, 2000)
        const began = processorTime()
        for (const text of ['a'.repeat(length), 'ab'.repeat(length / 2), 'b'.repeat(length)])
          new RegExp(source, 'u').test(`${text.slice(0, -1)}!`)
        expect(processorTime() - began).toBeLessThan(4000)
      }),
      { numRuns: 600, seed: 26 },
    )
    expect(allowed).toBeGreaterThan(200)
  })
})

/** One character in the ways a pattern can write it. */
const spellings: readonly ((point: number) => string)[] = [
  (point) => String.fromCodePoint(point),
  (point) => `\\u{${point.toString(16)}}`,
  (point) => `\\u{00${point.toString(16).toUpperCase()}}`,
  (point) =>
    String.fromCodePoint(point)
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
      .join(''),
]

const astralRange = fc
  .record({
    from: fc.integer({ min: 0x10000, max: 0x10ffff - 1000 }),
    length: fc.integer({ min: 0, max: 300 }),
    spelled: fc.tuple(fc.constantFrom(...spellings), fc.constantFrom(...spellings)),
  })
  .map(({ from, length, spelled: [first, last] }) => ({
    from,
    to: from + length,
    source: `[${first(from)}-${last(from + length)}]`,
  }))

describe('F1 characters beyond the first 65,536', () => {
  it('law: ranges compete where they have a character in common, however they are written', () => {
    const shift = fc.integer({ min: -320, max: 320 })
    const property = fc.property(
      astralRange,
      shift,
      fc.constantFrom(...spellings),
      fc.constantFrom('x', '$'),
      (range, by, spell, end) => {
        const [from, to] = [range.from + by, range.to + by]
        fc.pre(from >= 0x10000)
        const other = `[${spell(from)}-${spell(to)}]`
        const shared = from <= range.to && to >= range.from
        const verdict = examine(`^(?:${range.source}|${other})*${end}`)
        if (shared) expect(verdict).toMatch(/exponential/)
        else expect(verdict).toEqual(expect.objectContaining({ degree: 1 }))
      },
    )
    fc.assert(property, { numRuns: 500 })
  })

  it('halves that are written one by one are no pair', () => {
    expect(examine('^(?:\\u{d83d}|\\u{de00}|\\ud83d\\ude00)*$')).toEqual(expect.objectContaining({ degree: 1 }))
    expect(examine('^(?:\\u{d83d}\\u{de00}|[\\u{d83d}-\\u{d83e}]|\\u{de00})*$')).toMatch(/exponential/)
  })
})

describe('F1 one value has one budget for all its texts', () => {
  const slow = '^a*a*a*b'
  const texts = Array.from({ length: 10_000 }, () => 'a'.repeat(250))
  const cases: [string, Record<string, unknown>, unknown][] = [
    ['items of a list', { type: 'array', items: { type: 'string', pattern: '^(?:a*a*a*b|a)' } }, texts],
    ['one of two forms', { type: 'array', items: { anyOf: [{ pattern: slow }, { type: 'string' }] } }, texts],
    ['through the library', { type: 'array', items: { oneOf: [{ pattern: slow }, { type: 'string' }] } }, texts],
    [
      'names, by pattern',
      { type: 'object', patternProperties: { [slow]: false } },
      Object.fromEntries(texts.map((text, index) => [text + index, 1])),
    ],
    [
      'names, by schema',
      { type: 'object', propertyNames: { pattern: slow } },
      Object.fromEntries(texts.map((text, index) => [text + index, 1])),
    ],
    ['one text, many patterns', { anyOf: Array.from({ length: 10_000 }, () => ({ pattern: slow })) }, texts[0]],
  ]

  it.each(cases)('%s', async (_name, schema, value) => {
    await validatePlain(schema, schema === value)
    const began = processorTime()
    const found = await validatePlain(schema, value)
    expect(processorTime() - began).toBeLessThan(3000)
    expect(found).toEqual({
      ok: false,
      issues: [{ path: [], message: expect.stringMatching(/takes too long .* too many or too long texts/) }],
    })
  })

  it('honest values are far from it', () => {
    const schema = { type: 'array', items: { type: 'string', pattern: '.*\\S.*' } }
    const paragraphs = Array.from({ length: 3000 }, (_, index) => `paragraph ${index} ${'word '.repeat(20)}`)
    expect(validatePlain(schema, paragraphs)).toMatchObject({ ok: true })
    const identifiers = Array.from({ length: 100_000 }, (_, index) => `user-${index}@example.org`)
    expect(
      validatePlain({ type: 'array', items: { type: 'string', pattern: '^[^@]+@[^@]+$' } }, identifiers),
    ).toMatchObject({ ok: true })
  })
})

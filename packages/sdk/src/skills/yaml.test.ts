import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../jsonrpc/index.ts'
import { parseYaml } from './yaml.ts'
import { writeYaml } from './yaml-write.ts'

const value = (yaml: string): unknown => parseYaml(`v: ${yaml}`)['v']

describe('frontmatter in YAML, as people write it', () => {
  it.each<[string, unknown]>([
    ['plain text', 'plain text'],
    ['it is 5:30 now', 'it is 5:30 now'],
    ['http://example.com/#part', 'http://example.com/#part'],
    ['text # and a comment', 'text'],
    ['', null],
    ['~', null],
    ['null', null],
    ['true', true],
    ['False', false],
    ['yes', 'yes'],
    ['12', 12],
    ['-1.5e3', -1500],
    ['0x1f', 31],
    ['0o17', 15],
    ['1.0.0', '1.0.0'],
    ['2024-01-31', '2024-01-31'],
    ['"quoted: # text"', 'quoted: # text'],
    ['"a\\tb\\u0041\\x41\\U0001F600\\\\\\""', 'a\tbAA😀\\"'],
    ["'it''s'", "it's"],
    ['"12"', '12'],
    ['- not a list', undefined],
    ['[a, "b, c", 3, [d], {e: f}]', ['a', 'b, c', 3, ['d'], { e: 'f' }]],
    ['{a: 1, "b":2, c}', { a: 1, b: 2, c: null }],
    ['[]', []],
    ['{}', {}],
  ])('v: %s', (yaml, expected) => {
    if (expected === undefined) expect(() => value(yaml)).toThrow(/line 1 cannot have "-" there/)
    else expect(value(yaml)).toEqual(expected)
  })

  it('goes over several lines', () => {
    expect(value('a text\n  that goes on\n\n  and on # said\nw: 1')).toBe('a text that goes on\nand on')
    expect(value('"one \\\n   two\n   three\n\n   four"')).toBe('one two three\nfour')
    expect(value("'one\n  two'")).toBe('one two')
    expect(value('\n  below')).toBe('below')
    expect(value('[a,\n  b, # with a comment\n  c c\n  d\n]')).toEqual(['a', 'b', 'c c d'])
  })

  it('has blocks of text', () => {
    expect(value('|\n  one\n    two\n\n  three\n\nw: 1')).toBe('one\n  two\n\nthree\n')
    expect(value('|-\n  one\n  two')).toBe('one\ntwo')
    expect(value('|+\n  one\n\n')).toBe('one\n\n')
    expect(value('>\n  one\n  two\n\n  three\n    four\n  five\n')).toBe('one two\nthree\n  four\nfive\n')
    expect(value('>-2\n   one\n  two')).toBe(' one\ntwo')
    expect(value('| # comment\n  # no comment')).toBe('# no comment\n')
  })

  it('nests', () => {
    const yaml = [
      'metadata:',
      '  author: me',
      '  tags:',
      '  - a',
      '  - b: 1',
      '    c: 2',
      '  -',
      '    - x',
      '    - - y',
      'list:',
      '- 1',
      '# end',
      '"a b": c',
      '',
    ].join('\r\n')
    expect(parseYaml(yaml)).toEqual({
      metadata: { author: 'me', tags: ['a', { b: 1, c: 2 }, ['x', ['y']]] },
      list: [1],
      'a b': 'c',
    })
  })

  it('has no way to the prototype', () => {
    const read = parseYaml('__proto__: {polluted: true}\na: {__proto__: 1}')
    expect(Object.keys(read)).toEqual(['__proto__', 'a'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each<[string, RegExp]>([
    ['a: &x 1', /line 1 cannot have "&"/],
    ['a: *x', /cannot have "\*"/],
    ['a: !!js/function x', /cannot have "!"/],
    ['<<: {a: 1}', /merges/],
    ['? a\n: b', /line 1 is not of the form/],
    ['just text', /line 1 is not of the form/],
    ['a: 1\na: 2', /line 2 has the key "a" a second time/],
    ['a: {b: 1, b: 2}', /"b" twice/],
    ['a: b: c', /put the value into quotes/],
    ['a: Use when: always', /put the value into quotes/],
    ['a: "open', /without an end/],
    ['a: "\\q"', /unknown escape/],
    ['a: [1', /without an end/],
    ['a: "b" c', /after the end/],
    ['a: |x\n  b', /after the sign of a block/],
    ['a:\n\tb: 1', /line 2 is indented by a tab/],
    ['a: 1\n  b: 2', /line 2 /],
    ['a:\n    b: 1\n  c: 2', /line 3 /],
    ['a: .inf', /JSON does not have/],
    ['a: 1e999', /JSON does not have/],
    [`a: ${'['.repeat(50)}`, /too deeply/],
    [Array.from({ length: 50 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), /too deeply/],
    ['x'.repeat(70_000), /longer than/],
  ])('refuses %j', (yaml, reason) => {
    expect(() => parseYaml(yaml)).toThrow(SyntaxError)
    expect(() => parseYaml(yaml)).toThrow(reason)
  })

  it('refuses or reads everything, quickly', () => {
    const piece = fc.constantFrom(
      'a',
      'k: ',
      ': ',
      '\n',
      '\n  ',
      '\n    ',
      '- ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ', ',
      '#',
      ' ',
      '|',
      '>+',
      '1.0',
      '\\',
      '\t',
      '&',
      '~',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (yaml) => {
          try {
            expect(typeof parseYaml(yaml)).toBe('object')
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is read back as it was written', () => {
    const json = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), {
      noNullPrototype: true,
    })
    const tricky = fc.constantFrom(
      '',
      ' ',
      'yes',
      'No',
      'null',
      '1',
      '1e3',
      '0x1',
      '-',
      '- a',
      '# a',
      'a: b',
      'a #b',
      '---',
      '|',
      '\u2028',
      '\u0085',
      '\ufeff',
      '\ud800',
      'a\nb',
      '<<',
      "it's",
      'plain text',
      '.5',
    )
    const mapping = fc.oneof(json, fc.dictionary(tricky, tricky, { noNullPrototype: true }))
    fc.assert(
      fc.property(mapping, (written) => {
        const yaml = writeYaml(written as JsonObject)
        expect(parseYaml(yaml)).toEqual(JSON.parse(JSON.stringify(written)))
        expect(yaml).not.toMatch(/^---|[\u0085\u2028\ufeff]/m)
      }),
      { numRuns: 200 },
    )
  })
})

/** Whatever is read is a configuration, or is refused with places and ways out. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in texts are the subject.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigError, parseConfig } from './index.ts'

describe('laws of reading a configuration', () => {
  const word = fc.constantFrom(
    'mcpServers',
    'servers',
    'gateway',
    'files',
    'command',
    'url',
    'args',
    'env',
    'headers',
    'tools',
    'restart',
    'timeout',
    'port',
    'disabled',
    'type',
    '__proto__',
    '',
  )
  const leaf = fc.oneof(
    fc.constantFrom('npx', 'http://localhost:4000', '${A}', '${A:-1}', '${', 'sse', '30s', 'permanent'),
    fc.jsonValue({ maxDepth: 1 }),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 4 }),
    ),
  }))

  function onlyConfigErrors(text: string, file: string): void {
    try {
      parseConfig(text, { file, env: {} })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const { line, column, message, hint } of error.problems) {
        expect([message !== '', hint !== '', (line ?? 1) >= 1, (column ?? 1) >= 1]).toEqual([true, true, true, true])
      }
    }
  }

  it('any JSON value is a configuration or a ConfigError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), tree), (value) => onlyConfigErrors(JSON.stringify(value), 'a.json')),
      { numRuns: 500 },
    )
  })

  it('any JSON value read as YAML, too', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), tree), (value) => onlyConfigErrors(JSON.stringify(value), 'a.yaml')),
      { numRuns: 300 },
    )
  })

  it('and any text at all', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '"',
          '-',
          ' ',
          '\n',
          '\t',
          '&a',
          '*a',
          '<<',
          '?',
          '|',
          '!',
          '#',
          'a',
          '$',
        ),
      }),
    )
    fc.assert(fc.property(text, fc.constantFrom('a.json', 'a.yaml'), onlyConfigErrors), { numRuns: 1000 })
  })
})

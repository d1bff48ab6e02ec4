import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandTarget } from '../config/index.ts'
import { redactionFor } from './redaction.ts'
import { quoted, StderrLines } from './stderr-lines.ts'

function read(
  chunks: readonly string[],
  redact = (text: string) => text,
): { lines: readonly string[]; told: string[] } {
  const told: string[] = []
  const last = new StderrLines(redact, (line) => told.push(line))
  for (const chunk of chunks) last.push(chunk)
  last.end()
  return { lines: last.lines, told }
}

const command = (env: Record<string, string>): CommandTarget => ({
  kind: 'command',
  command: 'x',
  args: [],
  env,
  cwd: undefined,
})

describe('StderrLines', () => {
  it('G: lines are the same however the text was cut into chunks', () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', ' ', '\n', '\r\n', 'x'), maxLength: 12 }))
    fc.assert(
      fc.property(text, (chunks) => {
        expect(read(chunks)).toEqual(read([chunks.join('')]))
      }),
    )
  })

  it('G: keeps the last hundred lines and hands every one on', () => {
    const { lines, told } = read(Array.from({ length: 250 }, (_, index) => `line ${index}\n`))
    expect(told).toHaveLength(250)
    expect(lines).toEqual(told.slice(-100))
  })

  it('G: neither long lines nor a line that never ends fill the memory', () => {
    const { lines } = read(Array.from({ length: 200 }, () => 'x'.repeat(50_000)))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toHaveLength(2001)
    const many = read(Array.from({ length: 100 }, () => `${'y'.repeat(5000)}\n`))
    expect(many.lines.join('').length).toBeLessThanOrEqual(64 * 1024)
  })

  it('G: colours and control characters do not reach logs and error messages', () => {
    expect(read(['\u001b[31mred\u001b[0m \u0000\u0007tail\n']).lines).toEqual(['red   tail'])
  })

  it('G: quotes at most 20 lines and 4 KiB, the last ones', () => {
    const short = quoted(Array.from({ length: 50 }, (_, index) => `line ${index}`))
    expect(short.split('\n').slice(1)).toEqual(Array.from({ length: 20 }, (_, index) => `line ${index + 30}`))
    const long = quoted(Array.from({ length: 20 }, (_, index) => `${index}${'ä'.repeat(500)}`))
    expect(Buffer.byteLength(long)).toBeLessThan(4200)
    expect(long.endsWith(`19${'ä'.repeat(500)}`)).toBe(true)
    expect(Buffer.byteLength(quoted(['€'.repeat(2000)]))).toBeLessThan(4200)
    expect(quoted([])).toBe('')
  })
})

describe('redaction', () => {
  it('G: no value of the environment comes back in a line, in whatever way it is written', () => {
    const redact = redactionFor(
      command({ TOKEN: 's3cr"et/1', KEY: 'first line of it\nsecond line of it', LEVEL: 'debug', N: '1' }),
    )
    const { lines } = read(
      ['token s3cr"et/1\n{"t":"s3cr\\"et/1"}\n?t=s3cr%22et%2F1\nsecond line of it\ndebug 1\n'],
      redact,
    )
    expect(lines).toEqual(['token [TOKEN]', '{"t":"[TOKEN]"}', '?t=[TOKEN]', '[KEY]', 'debug 1'])
  })

  it('G: a secret that is part of another does not leave the rest of it', () => {
    expect(redactionFor(command({ A: 'abcd', B: 'abcdefgh' }))('abcdefgh abcd')).toBe('[B] [A]')
  })

  it('G: nor is half a secret left where a long line is cut', () => {
    const redact = redactionFor(command({ TOKEN: 'top-secret-value' }))
    const { lines } = read([`${'x'.repeat(1995)}top-secret-value\n`], redact)
    expect(lines[0]).not.toContain('top')
  })

  it('G: headers and what an address says in confidence', () => {
    const redact = redactionFor({
      kind: 'remote',
      url: 'https://me:pass%2Fword@host.example/mcp?key=abcdefgh',
      transport: undefined,
      headers: { Authorization: 'Bearer tok-12345' },
    })
    expect(redact('tok-12345; Bearer tok-12345; pass/word pass%2Fword abcdefgh host.example')).toBe(
      '[Authorization]; [Authorization]; [password] [password] [key] host.example',
    )
  })
})

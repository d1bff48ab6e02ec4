import { describe, expect, it } from 'vitest'
import { changedLog, jsonLog, textLog } from './log.ts'

const now = (): Date => new Date('2026-07-28T12:30:01Z')

function lines(make: typeof textLog, ...messages: string[]): string {
  let written = ''
  const log = make('debug', (line) => (written += line), now)
  for (const message of messages) log.warning(message)
  return written
}

describe('the log for people', () => {
  it('is one message per line that begins with a time, whatever servers say', () => {
    const written = lines(textLog, 'files: it ended\n12:30:01 error another message\r\nlast', 'next')
    expect(written.split('\n').filter((line) => /^\d\d:/.test(line))).toEqual([
      '12:30:01 warning files: it ended',
      '12:30:01 warning next',
    ])
    expect(written).toContain('\n  12:30:01 error another message\n  last\n')
  })

  it('steers no terminal: neither with escapes of one byte or two, nor by turning the direction of writing', () => {
    expect(lines(textLog, '\u001b[2J \u009b2J \u202etxt \u2028 a\tb \u007f')).toBe(
      '12:30:01 warning \\x1b[2J \\x9b2J \\u202etxt \\u2028 a\tb \\x7f\n',
    )
  })

  it('leaves the words of every language alone', () => {
    expect(lines(textLog, 'Größe 日本 עברית 🦜')).toBe('12:30:01 warning Größe 日本 עברית 🦜\n')
  })
})

describe('the log for programs', () => {
  it('escapes what ends lines or steers terminals', () => {
    const written = lines(jsonLog, 'a\u009b2J\u2028b\u2029\u202ec\u0085')
    expect(written).toMatch(/^[\x20-\x7e]*\n$/)
    expect(JSON.parse(written)).toMatchObject({ message: 'a\u009b2J\u2028b\u2029\u202ec\u0085' })
  })

  it('has its own severity, whatever a fact is called', () => {
    let written = ''
    jsonLog('debug', (line) => (written += line), now).warning('lost', { severity: 'w', server: 'a' })
    expect(JSON.parse(written)).toMatchObject({ severity: 'warning', server: 'a' })
  })

  it('is one JSON object per line', () => {
    expect(JSON.parse(lines(jsonLog, 'a\nb'))).toEqual({
      time: '2026-07-28T12:30:01.000Z',
      severity: 'warning',
      message: 'a\nb',
    })
  })
})

it('a changed log changes messages and facts', () => {
  let written = ''
  const log = changedLog(
    jsonLog('debug', (line) => (written += line), now),
    (text) => text.replaceAll('hunter2', '[KEY]'),
  )
  log.info('with hunter2', { path: 'a/hunter2', count: 1 })
  expect(JSON.parse(written)).toMatchObject({ message: 'with [KEY]', path: 'a/[KEY]', count: 1 })
})

import { describe, expect, it } from 'vitest'
import { unreachable } from './call.ts'

const url = new URL('https://user:secret@a/mcp?token=secret')

describe('E2 why an address cannot be reached', () => {
  const wordsOf = (cause: unknown): string => unreachable(url, cause).message

  it.each([
    [
      'the innermost cause',
      new TypeError('fetch failed', { cause: new Error('self-signed certificate') }),
      'self-signed certificate',
    ],
    [
      'its code, where it does not say it',
      Object.assign(new Error('hung up'), { code: 'ECONNRESET' }),
      'hung up (ECONNRESET)',
    ],
    ['each attempt', new AggregateError([new Error('not this'), new Error('nor that')]), 'not this; nor that'],
    ['that nothing was said', new Error(''), 'no reason was given'],
  ])('names %s', (_, cause, words) => {
    expect(wordsOf(cause)).toBe(`Cannot reach https://a/mcp: ${words}`)
  })

  it('is found in a circle of causes as well', () => {
    const [one, other] = [new Error('one'), new Error('other')]
    one.cause = other
    other.cause = one
    expect(wordsOf(one)).toMatch(/: (one|other)$/)
  })

  it('is found among attempts that lead back to themselves', () => {
    const attempts = new AggregateError([])
    attempts.errors.push(new Error('refused'), attempts)
    expect(wordsOf(attempts)).toContain(': refused; ')
  })
})

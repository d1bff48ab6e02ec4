import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

describe('L8 secrets do not get into reports', () => {
  it.each([
    ['token=abcd1234', 'token=[secret]'],
    ['Authorization: Bearer eyJhbGciOi', 'Authorization: [secret]'],
    ['{"password":"hunter2"}', '{"password":"[secret]"}'],
    ["api_key='k-1234567'", "api_key='[secret]'"],
    ['Cannot reach https://me:pass@example.com/mcp?key=v1: refused', 'Cannot reach https://example.com/mcp refused'],
    ['at file:///srv/app.mjs:3:14', 'at file:///srv/app.mjs:3:14'],
    ['got 401 for bearer abcdefgh', 'got 401 for bearer [secret]'],
    ['Unexpected token in the password field', 'Unexpected token in the password field'],
    ['nothing to hide', 'nothing to hide'],
  ])('%s', (text, clean) => {
    expect(redact(text, {})).toBe(clean)
  })

  it('values of the environment are named, the longest first', () => {
    expect(
      redact('at /home/me/app in /home/me', { HOME: '/home/me', APP: '/home/me/app', SHORT: 'in', EMPTY: '' }),
    ).toBe('at [APP] in [HOME]')
  })

  it('no value of six characters or more survives, wherever it stands', () => {
    const value = fc.string({ minLength: 6, maxLength: 20, unit: fc.constantFrom(...'abcxyz019+/=') })
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        expect(redact(`${before}${secret}${after}`, { SECRET: secret })).not.toContain(secret)
      }),
    )
  })
})

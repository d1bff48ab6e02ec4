/** G: addresses of resources in receipts hold nothing that may be a secret. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainUri, shortName, shortTarget } from './text.ts'

it.each([
  ['https://user:pass@example.com/a?token=1#part', 'https://example.com/a'],
  ['https:\\\\user:pass@example.com/a', 'https:\\\\example.com/a'],
  ['file:///etc/hosts?x', 'file:///etc/hosts'],
  ['note://today/me@home', 'note://today/me@home'],
  ['data:text/plain;base64,c2VjcmV0', 'data:'],
  ['note', 'note'],
  ['', ''],
])('G %s is %s', (uri, plain) => {
  expect(plainUri(uri)).toBe(plain)
})

it('G whatever stands in a query, a fragment or before an @ of the host is left out', () => {
  const secret = 'hunter2'
  fc.assert(
    fc.property(fc.webUrl({ size: 'xsmall' }), fc.constantFrom('?k=', '#', '?a=b&c='), (url, mark) => {
      const { protocol, host, pathname } = new URL(url)
      expect(plainUri(`${protocol}//me:${secret}@${host}${pathname}${mark}${secret}`)).toBe(
        `${protocol}//${host}${pathname}`,
      )
    }),
    { numRuns: 30 },
  )
})

it('G words of peers are cut', () => {
  expect(shortName('x'.repeat(1000))?.length).toBe(129)
  expect(shortTarget('x'.repeat(1000)).length).toBe(513)
  expect(shortName(5)).toBeUndefined()
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeOpaque, encodeOpaque, toBase64 } from './base64.ts'

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))

it('writes what the platform reads, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect([...bytesOf(toBase64(bytes))]).toEqual([...bytes])
    }),
  )
  const large = new Uint8Array(100_001).map((_, index) => index)
  expect(bytesOf(toBase64(large))).toEqual(large)
  expect(toBase64(new Uint8Array([104, 105]))).toBe('aGk=')
})

it('opaque text comes back, and other text is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodeOpaque(encodeOpaque(text))).toBe(text)
    }),
  )
  for (const bad of ['=', 'a+b', 'a b', 'é', '_____w', 'A']) expect(decodeOpaque(bad)).toBeUndefined()
})

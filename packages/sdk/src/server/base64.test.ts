import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeOpaque, encodeOpaque, toBase64 } from './base64.ts'

it('writes what the platform writes, for any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))))
  const large = new Uint8Array(100_001).map((_, index) => index)
  expect(toBase64(large)).toBe(Buffer.from(large).toString('base64'))
})

it('opaque text comes back, and other text is refused', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(decodeOpaque(encodeOpaque(text))).toBe(text)))
  for (const bad of ['=', 'a+b', 'a b', 'é', '_____w', 'A']) expect(decodeOpaque(bad)).toBeUndefined()
})

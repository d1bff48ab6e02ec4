import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, sha256 } from './sha256.ts'

// Sources are compiled without the types of Node; a test may use it, and says itself what it uses.
const { createHash } = (await import('node:crypto' as string)) as {
  createHash(name: string): { update(bytes: Uint8Array): { digest(form: 'hex'): string } }
}
const reference = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe(`A-04 the digest of audio`, () => {
  it('agrees with the published examples', () => {
    expect(sha256(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256(new TextEncoder().encode('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('agrees with the platform at every length around the block size', () => {
    for (let length = 0; length < 260; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256)
      expect(sha256(bytes)).toBe(reference(bytes))
    }
  })

  it('agrees with the platform for any bytes, also as part of a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.nat(64), (bytes, skip) => {
        const part = bytes.subarray(Math.min(skip, bytes.length))
        expect(sha256(part)).toBe(reference(part))
      }),
    )
  })

  it('reads base64, and takes anything else as text', () => {
    expect(bytesOf('AAEC')).toEqual(Uint8Array.of(0, 1, 2))
    expect(bytesOf('')).toEqual(new Uint8Array())
    expect(bytesOf('%é')).toEqual(Uint8Array.of(0x25, 0xc3, 0xa9))
  })
})

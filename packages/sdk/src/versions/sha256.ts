/**
 * SHA-256 (FIPS 180-4) in portable, synchronous form: translations are pure functions, and the platform's digest is not
 * synchronous.
 */

const ROUNDS = 64

/** The first 32 bits of the fractional part of `root`. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 0x1_0000_0000) >>> 0

function primes(count: number): number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  return found
}

const CONSTANTS = Uint32Array.from(primes(ROUNDS), (prime) => fraction(Math.cbrt(prime)))
const INITIAL = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The digest as 64 hexadecimal digits. */
export function sha256(bytes: Uint8Array): string {
  const state = Uint32Array.from(INITIAL)
  const schedule = new Uint32Array(ROUNDS)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const whole = bytes.length - (bytes.length % 64)
  for (let at = 0; at < whole; at += 64) compress(state, schedule, view, at)
  const tail = new DataView(padding(bytes.subarray(whole), bytes.length).buffer)
  for (let at = 0; at < tail.byteLength; at += 64) compress(state, schedule, tail, at)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The last bytes, a one bit, zeros, and the length in bits as 64-bit number: one or two blocks. */
function padding(rest: Uint8Array, length: number): Uint8Array {
  const block = new Uint8Array(rest.length < 56 ? 64 : 128)
  block.set(rest)
  block[rest.length] = 0x80
  const view = new DataView(block.buffer)
  view.setUint32(block.length - 8, Math.floor(length / 0x2000_0000))
  view.setUint32(block.length - 4, (length * 8) >>> 0)
  return block
}

function compress(state: Uint32Array, w: Uint32Array, block: DataView, offset: number): void {
  for (let t = 0; t < 16; t++) w[t] = block.getUint32(offset + t * 4)
  for (let t = 16; t < ROUNDS; t++) {
    const early = w[t - 15] as number
    const late = w[t - 2] as number
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    w[t] = (w[t - 16] as number) + mixedEarly + (w[t - 7] as number) + mixedLate
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let t = 0; t < ROUNDS; t++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (CONSTANTS[t] as number) + (w[t] as number)) | 0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const words = [a, b, c, d, e, f, g, h]
  for (let at = 0; at < 8; at++) state[at] = (state[at] as number) + (words[at] as number)
}

/** The bytes behind base64 text, or of the text itself when it is no base64. */
export function bytesOf(base64: string): Uint8Array {
  try {
    const binary = atob(base64)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch {
    return new TextEncoder().encode(base64)
  }
}

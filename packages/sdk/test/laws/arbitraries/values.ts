/** Small values messages are made of. */
import fc from 'fast-check'

export type Arb = fc.Arbitrary<unknown>

export const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('', 'naïve café', '日本語', '👩‍👩‍👧 family', 'two\nlines', '{"json":true}') },
)
export const word = fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,7}$/)
export const flag = fc.boolean()
export const count = fc.nat({ max: 10_000 })
export const fraction = fc.constantFrom(0, 0.25, 0.5, 1)
export const uri = fc.oneof(
  word.map((name) => `file:///srv/${name}.txt`),
  word.map((name) => `https://example.com/${name}?q=1#top`),
  word.map((name) => `custom+scheme:${name}`),
)
export const fileUri = word.map((name) => `file:///home/${name}`)
export const webUrl = word.map((name) => `https://example.com/${name}`)
export const mimeType = fc.constantFrom('text/plain', 'image/png', 'audio/wav', 'application/json; charset=utf-8')
export const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => btoa(String.fromCharCode(...bytes)))
export const instant = fc.constantFrom('2025-01-12T15:00:58Z', '2026-07-28T00:00:00.123Z', '2025-06-18T23:59:59+02:00')
export const role = fc.constantFrom('user', 'assistant')
export const logLevel = fc.constantFrom('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency')
/** Integers only: every official schema says so, whatever its TypeScript form says. */
export const identifier = fc.oneof(word, fc.integer({ min: -1000, max: 1_000_000 }))

export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constant(null),
    flag,
    text,
    fc.integer({ min: -5000, max: 5000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
})).value

export const jsonObject = fc.dictionary(word, json, { maxKeys: 3 })

/** `JSONObject` of the 2026-07-28 schema, which knows neither null nor fractions. */
export const plainObject = fc.dictionary(
  word,
  fc.oneof(text, flag, count, fc.array(word, { maxLength: 2 }), fc.dictionary(word, count, { maxKeys: 2 })),
  {
    maxKeys: 2,
  },
)

export const listOf = <T>(item: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T[]> => fc.array(item, { maxLength })
export const strings = listOf(text)

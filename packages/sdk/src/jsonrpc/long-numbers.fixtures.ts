/** JSON as text, with numbers that no program can read and write again without losing some of their digits. */
import fc from 'fast-check'

const digits = (minLength: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength: minLength + 8 }).map((list) => list.join(''))

const sign = fc.constantFrom('', '-')

/** Longer than what is held exactly: whole, with a point anywhere, or beyond what there is in size. */
export const longNumber: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(sign, digits(16)).map(([minus, rest]) => `${minus}1${rest}`),
  fc.tuple(sign, digits(6), digits(9)).map(([minus, before, rest]) => `${minus}1${before}.${rest}`),
  fc.tuple(sign, digits(0), digits(15)).map(([minus, before, rest]) => `${minus}1${before}.${rest}`),
  fc
    .tuple(sign, fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 400, max: 999 }))
    .map(([minus, e, size]) => `${minus}1${e}${size}`),
)

const shortText: fc.Arbitrary<string> = fc
  .oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  .map((value) => JSON.stringify(value))

/** Names that are read in the order in which they are written. */
const name: fc.Arbitrary<string> = fc.string({ maxLength: 8 }).map((rest) => `a${rest}`)

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    longNumber,
    shortText,
    fc.array(tie('value'), { maxLength: 4 }).map((texts) => `[${texts.join(',')}]`),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }).map(objectText),
  ),
}))

/** Any value, as it is written: nothing between, and what is not a long number as `JSON.stringify` has it. */
export const valueText: fc.Arbitrary<string> = value

export const membersText: fc.Arbitrary<Readonly<Record<string, string>>> = fc.dictionary(name, value, { maxKeys: 5 })

export function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
    .join(',')}}`
}

/** Asking the user: forms with every kind of field, and URLs. */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { params } from './envelope.ts'
import { type Fields, meta, type ObjectArb, only, open, since, V11, V26 } from './shape.ts'
import { taskMetadata } from './tasks.ts'
import { type Arb, count, flag, text, webUrl, word } from './values.ts'

type Json = Record<string, unknown>

const labelled = { title: text, description: text }
const options = fc.uniqueArray(fc.oneof(word, fc.constantFrom('a.b', 'with space', '')), { minLength: 1, maxLength: 3 })

const stringField = (defaults: Fields): ObjectArb =>
  open(
    { type: fc.constant('string') },
    {
      ...labelled,
      minLength: fc.constant(0),
      maxLength: fc.constant(64),
      format: fc.constantFrom('email', 'uri', 'date', 'date-time'),
      ...defaults,
    },
  )
const numberField = (defaults: Fields): ObjectArb =>
  open(
    { type: fc.constantFrom('number', 'integer') },
    { ...labelled, minimum: fc.constant(-10), maximum: count, ...defaults },
  )
const booleanField = open({ type: fc.constant('boolean') }, { ...labelled, default: flag })

/** A field whose choices are known, so that defaults and answers can be among them. */
const choosing = (build: (values: string[]) => ObjectArb): ObjectArb => options.chain(build)

const legacyEnum = (version: ProtocolVersion): ObjectArb =>
  choosing((values) =>
    open(
      { type: fc.constant('string'), enum: fc.constant(values) },
      {
        ...labelled,
        enumNames: fc.constant(values.map((value) => `the ${value}`)),
        ...since(version, V11, { default: fc.constantFrom(...values) }),
      },
    ),
  )

const named = (values: readonly string[]): Json[] => values.map((value) => ({ const: value, title: `the ${value}` }))

const singleTitled = choosing((values) =>
  open(
    { type: fc.constant('string'), oneOf: fc.constant(named(values)) },
    { ...labelled, default: fc.constantFrom(...values) },
  ),
)

const multiple = (items: (values: string[]) => Json): ObjectArb =>
  choosing((values) =>
    open(
      { type: fc.constant('array'), items: fc.constant(items(values)) },
      {
        ...labelled,
        minItems: fc.nat({ max: 1 }),
        maxItems: fc.integer({ min: 1, max: values.length }),
        default: fc.subarray(values),
      },
    ),
  )

const multiUntitled = multiple((values) => ({ type: 'string', enum: values }))
const multiTitled = multiple((values) => ({ anyOf: named(values) }))

function field(version: ProtocolVersion): ObjectArb {
  const old = [booleanField, legacyEnum(version)]
  if (!isAtLeast(version, V11)) return fc.oneof(stringField({}), numberField({}), ...old)
  return fc.oneof(
    stringField({ default: text }),
    numberField({ default: count }),
    ...old,
    singleTitled,
    multiUntitled,
    multiTitled,
  )
}

const fieldName = fc.oneof(word, fc.constantFrom('a.b', 'a', 'ünï'))

const form = (version: ProtocolVersion): ObjectArb =>
  fc.dictionary(fieldName, field(version), { maxKeys: 3 }).chain((properties) =>
    open(
      { type: fc.constant('object'), properties: fc.constant(properties) },
      {
        required: fc.subarray(Object.keys(properties)),
        ...since(version, V11, { $schema: fc.constant('https://json-schema.org/draft/2020-12/schema') }),
      },
    ),
  )

const asked = (version: ProtocolVersion, required: Fields, optional: Fields): ObjectArb =>
  isAtLeast(version, V26)
    ? open(required, optional)
    : params(version, required, { ...only(version, V11, { task: taskMetadata }), ...optional })

export const formParams = (version: ProtocolVersion): ObjectArb =>
  asked(version, { message: text, requestedSchema: form(version) }, since(version, V11, { mode: fc.constant('form') }))

export const urlElicitation = (version: ProtocolVersion): ObjectArb =>
  asked(
    version,
    { mode: fc.constant('url'), message: text, url: webUrl, ...only(version, V11, { elicitationId: word }) },
    {},
  )

export const elicitationParams = (version: ProtocolVersion): ObjectArb =>
  isAtLeast(version, V11)
    ? fc.oneof({ weight: 4, arbitrary: formParams(version) }, { weight: 1, arbitrary: urlElicitation(version) })
    : formParams(version)

/** An answer the field allows. */
function answerTo(field: Json): Arb {
  const choices = (field['enum'] ?? (field['oneOf'] as Json[] | undefined)?.map((option) => option['const'])) as
    | string[]
    | undefined
  if (choices !== undefined) return fc.constantFrom(...choices)
  switch (field['type']) {
    case 'boolean':
      return flag
    case 'number':
    case 'integer':
      // Whole numbers only: every official schema of the result says so.
      return fc.integer({ min: -10, max: (field['maximum'] as number | undefined) ?? 100 })
    case 'array': {
      const items = field['items'] as Json
      const values = (items['enum'] ?? (items['anyOf'] as Json[]).map((option) => option['const'])) as string[]
      return fc.subarray(values)
    }
    default:
      return text
  }
}

/** What a user may send back for a form: everything required is there. */
export function answers(question: Json): ObjectArb {
  const schema = question['requestedSchema'] as { properties: Record<string, Json>; required?: string[] }
  const fields = Object.entries(schema.properties).map(([name, definition]) => [name, answerTo(definition)] as const)
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: schema.required ?? [],
    noNullPrototype: true,
  })
}

export const elicitationResult = (version: ProtocolVersion, question: Json): ObjectArb => {
  const _meta: Fields = isAtLeast(version, V26) ? {} : { _meta: meta }
  const refused = open({ action: fc.constantFrom('decline', 'cancel') }, _meta)
  if (question['mode'] === 'url') return fc.oneof(refused, open({ action: fc.constant('accept') }, _meta))
  return fc.oneof(
    { weight: 3, arbitrary: open({ action: fc.constant('accept'), content: answers(question) }, _meta) },
    { weight: 1, arbitrary: refused },
  )
}

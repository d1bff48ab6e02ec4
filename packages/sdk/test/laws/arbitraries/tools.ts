/** Tools, their schemas, and what calling them gives. */
import fc from 'fast-check'
import type { ProtocolVersion } from '../../../src/versions/index.ts'
import { isAtLeast } from '../../../src/versions/index.ts'
import { block } from './content.ts'
import { result } from './envelope.ts'
import { icons, title } from './metadata.ts'
import { closed, innerMeta, type ObjectArb, only, open, since, V03, V06, V11, V26 } from './shape.ts'
import { type Arb, flag, json, jsonObject, listOf, text, word } from './values.ts'

const leaf = fc.constantFrom<unknown>(
  { type: 'string' },
  { type: 'integer', minimum: 0 },
  { type: ['number', 'null'] },
  { enum: ['a', 'b'] },
  { const: { properties: { kept: true } } },
  { $ref: '#/$defs/shared' },
  {},
)
const nested = fc.oneof(
  leaf,
  leaf.map((items) => ({ type: 'array', items })),
  leaf.map((inner) => ({ type: 'object', properties: { inner } })),
  leaf.map((one) => ({ anyOf: [one, { type: 'null' }], description: 'either' })),
)
/** Forms that only draft-07 has: legal where a schema says nothing of its dialect. */
const draft07 = fc.constantFrom<unknown>(
  { type: 'array', items: [{ type: 'string' }], additionalItems: false },
  { dependencies: { a: ['b'] } },
)
const newer = fc.constantFrom<unknown>(
  true,
  false,
  { type: 'array', prefixItems: [true], unevaluatedItems: false },
  { properties: { deep: false } },
)

const propertySchema = (version: ProtocolVersion): Arb => {
  if (isAtLeast(version, V26)) return fc.oneof({ weight: 3, arbitrary: nested }, { weight: 1, arbitrary: newer })
  return isAtLeast(version, V11)
    ? nested
    : fc.oneof({ weight: 9, arbitrary: nested }, { weight: 1, arbitrary: draft07 })
}

const headed = word.map((name) => ({ type: 'string', 'x-mcp-header': name }))

const dialect = fc.constantFrom(
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
)
const shared = fc.constant({ shared: { type: 'string' } })

const objectSchema = (version: ProtocolVersion, additionalProperties: Arb = flag): ObjectArb =>
  open(
    { type: fc.constant('object') },
    {
      properties: fc.dictionary(fc.oneof(word, fc.constantFrom('type', '$ref', 'a.b')), propertySchema(version), {
        maxKeys: 3,
      }),
      required: listOf(word, 2),
      $defs: shared,
      additionalProperties,
      ...since(version, V11, { $schema: dialect }),
      ...since(version, V26, {
        oneOf: listOf(leaf, 2),
        $dynamicAnchor: fc.constant('node'),
        patternProperties: fc.constant({ '^x': true }),
      }),
    },
  )

/** Any root is allowed in 2026-07-28. */
const anySchema = fc.oneof(
  open({ type: fc.constant('string') }, { $schema: dialect }),
  open(
    { type: fc.constant('array'), items: fc.constantFrom<unknown>({ $ref: '#/$defs/shared' }, { $ref: '#' }, true) },
    { $defs: shared, $schema: dialect },
  ),
  open({ anyOf: listOf(leaf, 2) }, { $defs: shared }),
  open({ $ref: fc.constant('#/$defs/shared') }, { $defs: shared }),
  open(
    { type: fc.constant(['object', 'null']) },
    { properties: fc.dictionary(word, propertySchema(V26), { maxKeys: 2 }) },
  ),
  fc.constant<Record<string, unknown>>({}),
)

/** `additionalProperties` is true or false: a published release accepts nothing else here. */
const outputSchema = (version: ProtocolVersion): ObjectArb =>
  isAtLeast(version, V26) ? fc.oneof(objectSchema(version), anySchema) : objectSchema(version)

const hints = open(
  {},
  { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
)

const inputSchema = (version: ProtocolVersion): ObjectArb =>
  isAtLeast(version, V26)
    ? fc.oneof(
        { weight: 6, arbitrary: objectSchema(version, fc.oneof(flag, leaf)) },
        {
          weight: 1,
          arbitrary: headed.map((city) => ({ type: 'object', properties: { city } }) as Record<string, unknown>),
        },
      )
    : objectSchema(version, fc.oneof(flag, leaf))

export const tool = (version: ProtocolVersion): ObjectArb =>
  open(
    { name: word, inputSchema: inputSchema(version) },
    {
      description: text,
      ...title(version),
      ...icons(version),
      ...innerMeta(version),
      ...since(version, V03, { annotations: hints }),
      ...since(version, V06, { outputSchema: outputSchema(version) }),
      ...only(version, V11, {
        execution: open({}, { taskSupport: fc.constantFrom('forbidden', 'optional', 'required') }),
      }),
    },
  )

export const callResult = (version: ProtocolVersion): ObjectArb =>
  result(
    version,
    { content: listOf(block(version)) },
    { isError: flag, ...since(version, V06, { structuredContent: isAtLeast(version, V26) ? json : jsonObject }) },
  )

/** A call, and the tool it calls: what a translation of the answer may look at. */
export const callContext: ObjectArb = closed({ name: fc.constant('called') }, { arguments: jsonObject })
export const calledTool = (version: ProtocolVersion): ObjectArb =>
  tool(version).map((definition) => ({ ...definition, name: 'called' }))

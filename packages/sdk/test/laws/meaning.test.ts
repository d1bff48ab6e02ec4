/**
 * What a translation must carry across even when the shape goes: bytes of audio, structured values, and schemas that
 * still describe them.
 */
import { isDeepStrictEqual } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Body, isObject } from '../../src/jsonrpc/index.ts'

import { isAtLeast, isVerdict, versions } from '../../src/versions/index.ts'
import { V06, V24, V26 } from './arbitraries/shape.ts'
import { count, flag, json, text, word } from './arbitraries/values.ts'
import { type Case, deepFreeze, hold, runs, seed } from './cases.ts'
import { downward, pairs, profiles, translate } from './translate.ts'

const engine = new Ajv2020({ strict: false, validateFormats: false })

const compiled = new Map<string, ReturnType<typeof engine.compile>>()

/** There are few schemas and many values. */
function fits(schema: Body, value: unknown): boolean {
  const key = JSON.stringify(schema)
  const check = compiled.get(key) ?? engine.compile(schema)
  compiled.set(key, check)
  return check(value) === true
}

const blocksOf = (body: unknown): Body[] =>
  isObject(body) && Array.isArray(body['content']) ? body['content'].filter(isObject) : []
const bytesOf = (block: Body): unknown => (isObject(block['resource']) ? block['resource']['blob'] : undefined)

describe.each(downward.filter(({ to }) => to === V24))('X3 audio from $from to $to', ({ from, to }) => {
  it('keeps every byte, announced by a line of text', () => {
    let heard = 0
    hold(from, (message) => {
      if (message.method !== 'tools/call' || message.part !== 'result') return false
      const { outcome } = translate(message, to)
      if (isVerdict(outcome)) return false
      for (const audio of blocksOf(message.body).filter(({ type }) => type === 'audio')) {
        heard++
        const after = blocksOf(outcome)
        expect(after.map(bytesOf)).toContain(audio['data'])
        expect(after.map((block) => block['text'])).toContain(`[Audio content: ${audio['mimeType']}]`)
      }
      return true
    })
    expect(heard).toBeGreaterThan(0)
  })
})

describe.each(pairs)('X4 contents of resources from $from to $to', ({ from, to }) => {
  it('get no name, which no version gives them', () => {
    hold(from, (message) => {
      if (message.method !== 'resources/read' || message.part !== 'result') return false
      const { outcome } = translate(message, to)
      const contents = isObject(outcome) && Array.isArray(outcome['contents']) ? outcome['contents'] : []
      if (contents.some((content) => Object.hasOwn(content as object, 'name'))) expect.fail(JSON.stringify(contents))
      return true
    })
  })
})

/** Schemas of every root, each with values that fit it. */
const described: fc.Arbitrary<[schema: Body, value: unknown]> = fc.oneof(
  text.map((value): [Body, unknown] => [{ type: 'string' }, value]),
  fc.array(word, { maxLength: 3 }).map((value): [Body, unknown] => [
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { $ref: '#/$defs/name' },
      $defs: { name: { type: 'string' } },
    },
    value,
  ]),
  fc
    .constantFrom<unknown>([], [[]], [[], [[]]])
    .map((value): [Body, unknown] => [{ type: 'array', items: { $ref: '#' } }, value]),
  fc.option(count).map((value): [Body, unknown] => [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, value]),
  fc
    .option(fc.record({ next: flag }))
    .map((value): [Body, unknown] => [{ type: ['object', 'null'], properties: { next: { type: 'boolean' } } }, value]),
  fc
    .record({ any: json, n: count })
    .map((value): [Body, unknown] => [
      { type: 'object', properties: { any: true, never: false, n: { type: 'integer' } }, required: ['any', 'n'] },
      value,
    ]),
  fc.constant<[Body, unknown]>([{ const: { $ref: '#/kept' } }, { $ref: '#/kept' }]),
  json.map((value): [Body, unknown] => [{}, value]),
)

const call = (part: 'result', tool: Body, structuredContent: unknown): Case =>
  deepFreeze(
    JSON.parse(
      JSON.stringify({
        version: V26,
        method: 'tools/call',
        part,
        body: { resultType: 'complete', content: [], structuredContent },
        request: { name: tool['name'] },
        tool,
        around: {},
      }),
    ) as Case,
  )

const listing = (tool: Body): Case =>
  deepFreeze({
    version: V26,
    method: 'tools/list',
    part: 'result',
    body: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [tool] },
    around: {},
  })

describe.each(versions.filter((version) => version !== V26))(
  'F1 structured output of 2026-07-28 shown to %s',
  (version) => {
    it.each(profiles)('still fits the schema that is shown beside it, or is there as text (%s)', (profile) => {
      fc.assert(
        fc.property(described, ([outputSchema, value]) => {
          const tool: Body = { name: 'called', inputSchema: { type: 'object' }, outputSchema }
          expect(fits(outputSchema, value), 'the generator is right').toBe(true)
          const shown = (translate(listing(tool), version, { profile }).outcome as { tools: Body[] }).tools[0] as Body
          const answered = translate(call('result', tool, value), version, { profile }).outcome as Body
          const visible = blocksOf(answered).flatMap((block) =>
            typeof block['text'] === 'string' ? [JSON.parse(block['text']) as unknown] : [],
          )
          if (isAtLeast(version, V06)) {
            expect(fits(shown['outputSchema'] as Body, answered['structuredContent'])).toBe(true)
          } else {
            expect(shown).not.toHaveProperty('outputSchema')
            expect(answered).not.toHaveProperty('structuredContent')
            const plain: unknown = JSON.parse(JSON.stringify(value))
            expect(
              visible.some((said) => isDeepStrictEqual(said, plain) || isDeepStrictEqual(said, { result: plain })),
            ).toBe(true)
          }
        }),
        { seed, numRuns: Math.ceil(runs / 4) },
      )
    })
  },
)

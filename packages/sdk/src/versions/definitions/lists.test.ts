/** what becomes of definitions is what published clients take, and nothing that they take is touched. */
import * as core from '@modelcontextprotocol/core'
import fc from 'fast-check'
import * as sdk20241105 from 'sdk-2024-11-05/types.js'
import * as sdk20250326 from 'sdk-2025-03-26/types.js'
import * as sdk20250618 from 'sdk-2025-06-18/types.js'
import * as sdk20251125 from 'sdk-2025-11-25/types.js'
import { describe, expect, it } from 'vitest'
import { fromWire } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type ProtocolVersion, versions } from '../version.ts'
import { emptyIfUnknown, readableList } from './lists.ts'

type Parser = { safeParse(value: unknown): { success: boolean; error?: { message: string } } }

const RELEASES: Readonly<Record<ProtocolVersion, Readonly<Record<string, unknown>>>> = {
  '2024-11-05': sdk20241105,
  '2025-03-26': sdk20250326,
  '2025-06-18': sdk20250618,
  '2025-11-25': sdk20251125,
  '2026-07-28': core,
}

const LISTS = {
  'tools/list': ['tools', 'ListToolsResultSchema'],
  'prompts/list': ['prompts', 'ListPromptsResultSchema'],
  'resources/list': ['resources', 'ListResourcesResultSchema'],
  'resources/templates/list': ['resourceTemplates', 'ListResourceTemplatesResultSchema'],
} as const
type Method = keyof typeof LISTS
const METHODS = Object.keys(LISTS) as Method[]

/** Why the release of a version refuses a list; undefined when it takes it. */
function refusal(version: ProtocolVersion, method: Method, result: unknown): string | undefined {
  const outcome = (RELEASES[version][LISTS[method][1]] as Parser).safeParse(result)
  return outcome.success ? undefined : outcome.error?.message
}

function read(
  version: ProtocolVersion,
  method: Method,
  item: unknown,
): { shown: unknown[]; words: string[]; same: boolean; result: Body } {
  const before = { [LISTS[method][0]]: [item] }
  const { result, losses } = readableList(method, before, version)
  return {
    shown: result[LISTS[method][0]] as unknown[],
    words: losses.map(({ detail }) => detail),
    same: result === before,
    result,
  }
}

const tool = { name: 'a', inputSchema: { type: 'object' } }
const resource = { uri: 'a://b', name: 'a' }

function nested(levels: number): Body {
  let schema: Body = { type: 'object' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', allOf: [schema] }
  return schema
}

describe('R-01 a definition that published clients take', () => {
  it.each<[Method, unknown]>([
    ['tools/list', tool],
    [
      'tools/list',
      { ...tool, description: '', outputSchema: { type: 'object', properties: { x: {} }, required: ['x'] } },
    ],
    ['tools/list', { ...tool, inputSchema: { type: 'object', $defs: {}, additionalProperties: false } }],
    [
      'tools/list',
      {
        ...tool,
        icons: [{ src: 'a', theme: 'dark' }],
        annotations: { readOnlyHint: true },
        _meta: { a: 1 },
        other: null,
      },
    ],
    ['prompts/list', { name: 'a', arguments: [{ name: 'b', required: false }] }],
    [
      'resources/list',
      {
        ...resource,
        size: 5,
        annotations: { audience: ['user'], priority: 1, lastModified: '2025-01-12T15:00:58.5+02:00' },
      },
    ],
    ['resources/templates/list', { uriTemplate: 'a://{b}', name: 'a', mimeType: 'text/plain' }],
  ])('of %s is not touched: %j', (method, item) => {
    for (const version of versions) {
      expect(
        [refusal(version, method, { [LISTS[method][0]]: [item] }), read(version, method, item).same],
        version,
      ).toEqual([undefined, true])
    }
  })
})

describe('R-01 a definition that a published client refuses', () => {
  it.each<[Method, unknown, unknown, string]>([
    [
      'tools/list',
      { ...tool, inputSchema: {} },
      tool,
      'tool "a" was mended: it has an "inputSchema" without "type": "object"',
    ],
    ['tools/list', { name: 'a' }, tool, 'tool "a" was mended: it has no "inputSchema"'],
    [
      'tools/list',
      { ...tool, inputSchema: { type: ['object', 'null'] } },
      tool,
      'tool "a" was mended: it has an "inputSchema" with several types',
    ],
    [
      'tools/list',
      { ...tool, inputSchema: { type: 'object', properties: [] } },
      tool,
      'tool "a" was mended: it has an "inputSchema" with "properties" that are no object',
    ],
    [
      'tools/list',
      { ...tool, inputSchema: { type: 'object', required: 'x' } },
      tool,
      'tool "a" was mended: it has an "inputSchema" with a "required" that is no list of names',
    ],
    [
      'tools/list',
      { ...tool, description: 7, title: null },
      tool,
      'tool "a" was mended: it has a "title" that is no text, has a "description" that is no text',
    ],
    [
      'tools/list',
      { ...tool, outputSchema: 'none' },
      tool,
      'tool "a" was mended: it has an "outputSchema" that is no object',
    ],
    [
      'prompts/list',
      { name: 'a', arguments: [{}, { name: 'b', required: 1 }] },
      { name: 'a', arguments: [{ name: 'b' }] },
      'prompt "a" was mended: it has a "arguments[0]" without "name", has a "arguments[1].required" that is no true or false',
    ],
    [
      'resources/list',
      { uri: 'a://b', title: 'T' },
      { uri: 'a://b', title: 'T', name: 'T' },
      'resource "a://b" was mended: it has no "name"',
    ],
    [
      'resources/list',
      { ...resource, annotations: { lastModified: '2025-02-30T00:00:00Z' } },
      { ...resource, annotations: {} },
      'resource "a://b" was mended: it has a "annotations.lastModified" that is no date and time with its zone',
    ],
    [
      'resources/templates/list',
      { uriTemplate: 'a://{b}' },
      { uriTemplate: 'a://{b}', name: 'a://{b}' },
      'resource template "a://{b}" was mended: it has no "name"',
    ],
  ])('of %s is mended where that does no harm: %j', (method, item, mended, words) => {
    expect(versions.some((version) => refusal(version, method, { [LISTS[method][0]]: [item] }) !== undefined)).toBe(
      true,
    )
    for (const version of versions)
      expect(read(version, method, item), version).toMatchObject({ shown: [mended], words: [words] })
  })

  it.each<[Method, unknown, string]>([
    ['tools/list', null, 'a tool without "name" is left out: it is no object'],
    ['tools/list', { inputSchema: tool.inputSchema }, 'a tool without "name" is left out: it has no "name"'],
    [
      'tools/list',
      { ...tool, inputSchema: { type: 'string' } },
      'tool "a" is left out: it has an "inputSchema" with "type": "string" instead of "object"',
    ],
    ['tools/list', { ...tool, inputSchema: 'none' }, 'tool "a" is left out: it has an "inputSchema" that is no object'],
    ['prompts/list', { name: 7 }, 'a prompt without "name" is left out: it has no "name"'],
    ['resources/list', { name: 'x' }, 'resource "x" is left out: it has no "uri"'],
    [
      'resources/templates/list',
      { name: 'x', uriTemplate: [] },
      'a resource template without "uriTemplate" is left out: it has no "uriTemplate"',
    ],
  ])('of %s is left out otherwise: %j', (method, item, words) => {
    for (const version of versions)
      expect(read(version, method, item), version).toMatchObject({ shown: [], words: [words] })
  })

  it('is mended where only those that hand schemas to models refuse it: a property that is no schema', () => {
    const item = { ...tool, inputSchema: { type: 'object', properties: { a: {}, required: ['a'] } } }
    const mended = { ...tool, inputSchema: { type: 'object', properties: { a: {}, required: {} } } }
    const words = ['tool "a" was mended: it has an "inputSchema" whose property "required" is no schema']
    for (const version of versions)
      expect(read(version, 'tools/list', item), version).toMatchObject({ shown: [mended], words })
  })

  it('is left out when it is too deep for many readers', () => {
    expect(read('2025-11-25', 'tools/list', { ...tool, inputSchema: nested(59) }).same).toBe(true)
    expect(read('2025-11-25', 'tools/list', { ...tool, inputSchema: nested(100) })).toMatchObject({
      shown: [],
      words: ['tool "a" is left out: it is nested deeper than 120 levels'],
    })
  })

  it('may be one of another version alone', () => {
    const booleans = { ...tool, inputSchema: { type: 'object', properties: { a: true, b: false } } }
    expect(read('2026-07-28', 'tools/list', booleans).same).toBe(true)
    expect(read('2025-11-25', 'tools/list', booleans).shown).toEqual([
      { ...tool, inputSchema: { type: 'object', properties: { a: {}, b: { not: {} } } } },
    ])
    const array = { ...tool, outputSchema: { type: 'array' } }
    expect([read('2026-07-28', 'tools/list', array).same, read('2025-06-18', 'tools/list', array).shown]).toEqual([
      true,
      [tool],
    ])
    const further = { ...tool, outputSchema: { type: 'object', additionalProperties: {} } }
    expect([read('2025-11-25', 'tools/list', further).same, read('2025-06-18', 'tools/list', further).shown]).toEqual([
      true,
      [{ ...tool, outputSchema: { type: 'object' } }],
    ])
  })
})

describe('R-01 what a list says beside its definitions', () => {
  it('is read as an empty list where it has none, but for that of tools', () => {
    expect(readableList('resources/list', {}).result).toEqual({ resources: [] })
    expect(readableList('prompts/list', { prompts: null, nextCursor: null }).result).toEqual({ prompts: [] })
    expect(() => readableList('tools/list', {})).toThrow('The answer to tools/list has no list of tools')
  })

  it('is no list when something else stands there', () => {
    expect(() => readableList('prompts/list', { prompts: {} })).toThrow(
      expect.objectContaining({ kind: 'invalid_answer' }),
    )
  })

  it('loses what is no cursor, no metadata, and no word about caches', () => {
    const odd = { tools: [], nextCursor: 5, _meta: 'x', ttlMs: -1, cacheScope: 'all' }
    expect(readableList('tools/list', odd, '2026-07-28').result).toEqual({ tools: [] })
    expect(readableList('tools/list', { tools: [], nextCursor: '' }).losses).toEqual([])
  })
})

describe('R-01 any definitions', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        type: fc.constantFrom<unknown>('object', 'string', ['object'], 7),
        properties: fc.jsonValue(),
        required: fc.jsonValue(),
        $schema: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        audience: fc.jsonValue(),
        priority: fc.jsonValue(),
        lastModified: fc.jsonValue(),
        title: fc.jsonValue(),
        readOnlyHint: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.array(
      fc.record(
        {
          src: fc.jsonValue(),
          sizes: fc.jsonValue(),
          name: fc.constantFrom<unknown>('n', 5),
          required: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
  )
  const names = [
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    'annotations',
    'icons',
    'arguments',
    'size',
    'mimeType',
    '_meta',
    'execution',
    'name',
  ] as const
  const item = fc.oneof(
    fc.jsonValue(),
    fc.tuple(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }), fc.boolean()).map(([members, named]) => ({
      ...members,
      ...(named && { name: 'a' }),
      uri: 'a://b',
      uriTemplate: 'a://{b}',
    })),
  )

  it.each(METHODS)('of %s are what clients of every version read', (method) => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), fc.constantFrom(...versions), (items, version) => {
        const { result } = readableList(method, { [LISTS[method][0]]: items }, version)
        expect(refusal(version, method, result)).toBeUndefined()
        expect(readableList(method, result, version).result).toBe(result)
      }),
      { numRuns: 300 },
    )
  })
})

describe('R-01 a list that its server declares and does not know', () => {
  const unknown = fromWire({ code: -32601, message: 'Method not found' })

  it('is empty, but for that of tools', () => {
    expect(emptyIfUnknown('resources/templates/list', unknown)).toEqual({ resourceTemplates: [] })
    expect(() => emptyIfUnknown('tools/list', unknown)).toThrow('Method not found')
  })

  it('and any other failure stays one', () => {
    expect(() => emptyIfUnknown('prompts/list', fromWire({ code: -32603, message: 'broken' }))).toThrow('broken')
    expect(() => emptyIfUnknown('prompts/get', unknown)).toThrow('Method not found')
  })
})

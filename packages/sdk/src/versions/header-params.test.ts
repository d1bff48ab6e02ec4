import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../jsonrpc/index.ts'
import { decodeHeader, encodeHeader } from '../protocol/index.ts'
import { type HeaderParam, headerObjection, headerParamsOf, headersFor } from './header-params.ts'
import type { EditContext } from './operation.ts'
import { removeInvalidHeaders } from './steps/2026-07-28/header-annotations.ts'

const text = (name: unknown): Body => ({ type: 'string', 'x-mcp-header': name })
const within = (properties: Body): Body => ({ type: 'object', properties })

const REGION: HeaderParam = { header: 'mcp-param-region', path: ['region'], type: 'string' }
const LIMIT: HeaderParam = { header: 'mcp-param-limit', path: ['page', 'limit'], type: 'integer' }
const DRY: HeaderParam = { header: 'mcp-param-dry', path: ['dry'], type: 'boolean' }

describe('D-60 F9 the annotations of an input schema', () => {
  it('are found along properties of properties', () => {
    const schema = within({
      region: text('Region'),
      page: within({ limit: { type: 'integer', 'x-mcp-header': 'LIMIT' } }),
      dry: { type: 'boolean', 'x-mcp-header': 'dry' },
      plain: { type: 'string' },
    })
    expect(headerParamsOf(schema)).toEqual([REGION, LIMIT, DRY])
  })

  it('share one frozen list when there is none', () => {
    const none = headerParamsOf(within({ a: { type: 'string' } }))
    expect(none).toEqual([])
    expect(Object.isFrozen(none)).toBe(true)
    for (const schema of [undefined, null, true, 'x', [], {}]) expect(headerParamsOf(schema)).toBe(none)
  })

  it('are not taken from data or from a property that is named like one', () => {
    const data = { default: text('A'), const: text('B'), enum: [text('C')], examples: [text('D')] }
    expect(headerParamsOf({ ...data, properties: { 'x-mcp-header': { type: 'string' } } })).toEqual([])
  })

  it.each<[string, Body, RegExp]>([
    ['no string', within({ a: text(5) }), /is no string/],
    ['null', within({ a: text(null) }), /is no string/],
    ['empty', within({ a: text('') }), /name of a header/],
    ['a blank', within({ a: text('My Region') }), /name of a header/],
    ['a line break', within({ a: text('a\r\nEvil: 1') }), /name of a header/],
    ['a trailing line break', within({ a: text('a\n') }), /name of a header/],
    ['a colon', within({ a: text('a:b') }), /name of a header/],
    ['non-ASCII', within({ a: text('Größe') }), /name of a header/],
    ['a number', within({ a: { type: 'number', 'x-mcp-header': 'A' } }), /string, integer or boolean/],
    ['an object', within({ a: { type: 'object', 'x-mcp-header': 'A' } }), /string, integer or boolean/],
    [
      'a choice of types',
      within({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } }),
      /string, integer or boolean/,
    ],
    ['no type', within({ a: { 'x-mcp-header': 'A' } }), /string, integer or boolean/],
    ['the same name twice', within({ a: text('Region'), b: within({ c: text('rEGION') }) }), /repeats/],
    ['the root', { type: 'string', 'x-mcp-header': 'A' }, /at the root/],
    ['items', within({ a: { type: 'array', items: text('A') } }), /at properties\.a\.items/],
    ['properties below items', within({ a: { type: 'array', items: within({ b: text('A') }) } }), /place without/],
    ['a tuple', within({ a: { prefixItems: [text('A')] } }), /place without/],
    ['allOf', { allOf: [within({ a: text('A') })] }, /place without/],
    ['oneOf', { oneOf: [within({ a: text('A') })] }, /place without/],
    ['not', { not: text('A') }, /place without/],
    ['else', { if: {}, else: within({ a: text('A') }) }, /place without/],
    ['$defs', { $defs: { a: text('A') }, ...within({ b: { $ref: '#/$defs/a' } }) }, /place without/],
    ['patternProperties', { patternProperties: { '^a': text('A') } }, /place without/],
    ['additionalProperties', { additionalProperties: text('A') }, /place without/],
    ['an unknown keyword', { 'x-more': { properties: { a: text('A') } } }, /place without/],
  ])('make a tool invalid: %s', (_, schema, reason) => {
    expect(headerParamsOf(schema)).toMatch(reason)
  })

  it('are refused in a schema without a bottom', () => {
    const circle: Body = { type: 'object' }
    circle['properties'] = { a: circle }
    expect(headerParamsOf(circle)).toMatch(/nested too deeply/)
    let deep: Body = text('A')
    for (let at = 0; at < 50_000; at++) deep = { not: deep }
    expect(headerParamsOf(deep)).toMatch(/nested too deeply/)
  })

  it('are quoted in part when they are long', () => {
    expect(headerParamsOf(within({ ['p'.repeat(5000)]: text('ö'.repeat(5000)) }))).toSatisfy(
      (reason: string) => reason.length < 400,
    )
  })

  it('D-46 are all valid once the invalid ones were taken out', () => {
    const name = fc.constantFrom<unknown>('A', 'a', 'B', 'b c', '', 7)
    const type = fc.constantFrom('string', 'integer', 'boolean', 'number', 'object')
    const { schema } = fc.letrec<{ schema: Body }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.record({ type, 'x-mcp-header': name }, { requiredKeys: ['type'], noNullPrototype: true }),
        fc.record(
          { properties: fc.dictionary(fc.constantFrom('p', 'q', 'items'), tie('schema'), { noNullPrototype: true }) },
          { noNullPrototype: true },
        ),
        fc.record({ items: tie('schema') }, { noNullPrototype: true }),
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 2 }) }, { noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(schema, (inputSchema) => {
        let losses = 0
        const tool = { name: 't', inputSchema }
        const repaired = removeInvalidHeaders(tool, { lose: () => void losses++ } as unknown as EditContext) as Body
        expect(headerParamsOf(repaired['inputSchema'])).toBeInstanceOf(Array)
        expect(typeof headerParamsOf(inputSchema) === 'string').toBe(losses > 0)
      }),
    )
  })
})

describe('D-60 the headers of a call', () => {
  const all = [REGION, LIMIT, DRY]

  it('say what the arguments say', () => {
    expect(headersFor(all, { region: 'us-west1', page: { limit: -7 }, dry: false })).toEqual({
      'mcp-param-region': 'us-west1',
      'mcp-param-limit': '-7',
      'mcp-param-dry': 'false',
    })
    expect(headersFor([REGION], { region: 'Zürich\n' })).toEqual({ 'mcp-param-region': '=?base64?WsO8cmljaAo=?=' })
    expect(headersFor([REGION], { region: '' })).toEqual({ 'mcp-param-region': '' })
    expect(headersFor([LIMIT], { page: { limit: 1e21 } })).toEqual({ 'mcp-param-limit': '1000000000000000000000' })
  })

  it.each<[string, Body]>([
    ['nothing', {}],
    ['null', { region: null, page: null, dry: undefined }],
    ['no single value', { region: {}, page: { limit: [1] }, dry: Number.NaN }],
    ['a chain that ends early', { page: 'limit' }],
  ])('are left out for %s', (_, args) => {
    expect(headersFor(all, args)).toEqual({})
  })

  it('never come from a prototype', () => {
    expect(headersFor([{ header: 'mcp-param-x', path: ['constructor', 'name'], type: 'string' }], {})).toEqual({})
  })
})

describe('D-60 F9 headers and body of a request', () => {
  const call = (args: Body | undefined): Body => ({ name: 'sql', ...(args === undefined ? {} : { arguments: args }) })
  const object = (
    params: Body,
    headers: Record<string, string>,
    annotated: readonly HeaderParam[] = [],
    method = 'tools/call',
  ): string | undefined => headerObjection(method, params, (name) => headers[name], annotated)
  const base = { 'mcp-method': 'tools/call', 'mcp-name': 'sql' }

  it('agree', () => {
    expect(object(call({}), base)).toBeUndefined()
    expect(object({}, { 'mcp-method': 'tools/list' }, [], 'tools/list')).toBeUndefined()
    expect(
      object(
        { uri: 'skill://ä' },
        { 'mcp-method': 'resources/read', 'mcp-name': encodeHeader('skill://ä') },
        [],
        'resources/read',
      ),
    ).toBeUndefined()
    expect(object({ taskId: 't1' }, { 'mcp-method': 'tasks/get', 'mcp-name': 't1' }, [], 'tasks/get')).toBeUndefined()
    expect(object({ name: '=a' }, { 'mcp-method': 'prompts/get', 'mcp-name': '=a' }, [], 'prompts/get')).toBeUndefined()
  })

  it.each<[string, Record<string, string>, RegExp]>([
    ['no method', { 'mcp-name': 'sql' }, /Mcp-Method is missing/],
    [
      'another method',
      { ...base, 'mcp-method': 'tools/list' },
      /Mcp-Method is "tools\/list", the request says "tools\/call"/,
    ],
    ['another case', { ...base, 'mcp-method': 'Tools/Call' }, /Mcp-Method/],
    ['an encoded method', { ...base, 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' }, /Mcp-Method/],
    ['no name', { 'mcp-method': 'tools/call' }, /Mcp-Name is missing, the request says "sql"/],
    ['another name', { ...base, 'mcp-name': 'SQL' }, /Mcp-Name is "SQL", the request says "sql"/],
    ['a name that cannot be read', { ...base, 'mcp-name': '=?base64?c3Fs!?=' }, /Mcp-Name has a Base64 value/],
    ['a name of foreign signs', { ...base, 'mcp-name': 'sqlä' }, /Mcp-Name has characters/],
  ])('disagree: %s', (_, headers, reason) => {
    expect(object(call({}), headers)).toMatch(reason)
  })

  it('disagree when a raw name that no header should hold is the same as in the body', () => {
    expect(object({ name: 'ä' }, { ...base, 'mcp-name': 'ä' })).toMatch(/characters/)
  })

  it('leave a request without a name to the check of its parameters, unless a header has one', () => {
    expect(object({}, { 'mcp-method': 'tools/call' })).toBeUndefined()
    expect(object({}, base)).toMatch(/Mcp-Name is "sql", the request has no such value/)
    expect(object({ name: {} }, base)).toMatch(/Mcp-Name is "sql", the request says no single value/)
  })

  it.each<[string, Body | undefined, Record<string, string>]>([
    ['a string', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['an encoded string', { region: 'ü' }, { 'mcp-param-region': '=?base64?w7w=?=' }],
    ['a plain string that was encoded', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    ['an empty string', { region: '' }, { 'mcp-param-region': '' }],
    ['half a wrapper', { region: '=?base64?SGVsbG8=' }, { 'mcp-param-region': '=?base64?SGVsbG8=' }],
    ['half a surrogate pair', { region: '\ud800' }, { 'mcp-param-region': '=?base64?77+9?=' }],
    ['an integer', { page: { limit: 42 } }, { 'mcp-param-limit': '42' }],
    ['an integer with a fraction of nothing', { page: { limit: 42 } }, { 'mcp-param-limit': '42.0' }],
    ['an encoded integer', { page: { limit: 42 } }, { 'mcp-param-limit': '=?base64?NDI=?=' }],
    ['a boolean', { dry: true }, { 'mcp-param-dry': 'true' }],
    ['null', { region: null }, {}],
    ['nothing', {}, {}],
    ['no arguments', undefined, {}],
    ['what the check of the arguments refuses', { region: ['eu'] }, {}],
    ['a header nobody asked for', {}, { 'mcp-param-other': 'x' }],
  ])('agree on %s', (_, args, headers) => {
    expect(object(call(args), { ...base, ...headers }, [REGION, LIMIT, DRY])).toBeUndefined()
  })

  it.each<[string, Body | undefined, Record<string, string>, RegExp]>([
    ['a missing header', { region: 'eu' }, {}, /mcp-param-region is missing, the request says "eu"/],
    [
      'another value',
      { region: 'eu' },
      { 'mcp-param-region': 'us' },
      /mcp-param-region is "us", the request says "eu"/,
    ],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }, /mcp-param-region/],
    [
      'a value the body has not',
      {},
      { 'mcp-param-region': 'eu' },
      /mcp-param-region is "eu", the request has no such value/,
    ],
    ['a value where the body has null', { region: null }, { 'mcp-param-region': 'null' }, /no such value/],
    ['an empty header where the body has nothing', {}, { 'mcp-param-region': '' }, /no such value/],
    ['a value where the body has a list', { region: ['eu'] }, { 'mcp-param-region': 'eu' }, /no single value/],
    ['bad padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }, /cannot be read/],
    ['bad signs', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }, /cannot be read/],
    ['a raw control character', { region: 'a\u0001' }, { 'mcp-param-region': 'a\u0001' }, /characters/],
    [
      'another number',
      { page: { limit: 42 } },
      { 'mcp-param-limit': '43' },
      /mcp-param-limit is "43", the request says 42/,
    ],
    ['a number in another notation', { page: { limit: 42 } }, { 'mcp-param-limit': '0x2a' }, /mcp-param-limit/],
    ['no number', { page: { limit: 0 } }, { 'mcp-param-limit': '' }, /mcp-param-limit/],
    [
      'an integer nobody can compare',
      { page: { limit: 2 ** 53 } },
      { 'mcp-param-limit': '9007199254740993' },
      /mcp-param-limit/,
    ],
    [
      'a boolean in capitals',
      { dry: true },
      { 'mcp-param-dry': 'True' },
      /mcp-param-dry is "True", the request says true/,
    ],
  ])('disagree: %s', (_, args, headers, reason) => {
    expect(object(call(args), { ...base, ...headers }, [REGION, LIMIT, DRY])).toMatch(reason)
  })

  it('disagree in one short line, whatever they hold', () => {
    const objection = object(
      call({ region: `${'x'.repeat(10_000)}` }),
      { ...base, 'mcp-param-region': encodeHeader(`\r\n\u001b[31m${'y'.repeat(10_000)}`) },
      [REGION],
    )
    expect(objection).toSatisfy((line: string) => line.length < 400 && /^[ -~…]*$/.test(line))
  })

  it('agree whenever the headers were made from the body, and in no other value', () => {
    const single = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    )
    fc.assert(
      fc.property(single, single, fc.string({ unit: 'binary' }), (region, limit, name) => {
        const args = { region, page: { limit } }
        const headers = {
          'mcp-method': 'tools/call',
          'mcp-name': encodeHeader(name),
          ...headersFor([REGION, LIMIT], args),
        }
        expect(object({ name, arguments: args }, headers, [REGION, LIMIT])).toBeUndefined()
        const said = headers['mcp-param-region' as keyof typeof headers]
        if (said !== undefined)
          expect(
            object({ name, arguments: { ...args, region: `${decodeHeader(said)}!` } }, headers, [REGION, LIMIT]),
          ).toMatch(/region/)
      }),
    )
  })
})

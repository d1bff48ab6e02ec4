import { describe, expect, it } from 'vitest'
import { catalogue, codeOf, type ErrorEntry, type ErrorKind, errorKinds, isErrorKind, mayEmit } from './index.ts'

const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const entries = Object.entries(catalogue) as [ErrorKind, ErrorEntry][]
const HANDSHAKE = versions.filter((version) => version < '2026-07-28')
const STATELESS = '2026-07-28'

/** Kinds that have a code of their own in the specification: before 2026-07-28, and from it on. */
const specified: Partial<Record<ErrorKind, [number, number]>> = {
  parse_error: [-32700, -32700],
  invalid_request: [-32600, -32600],
  method_not_found: [-32601, -32601],
  invalid_params: [-32602, -32602],
  internal_error: [-32603, -32603],
  resource_not_found: [-32002, -32602],
  url_elicitation_required: [-32042, -32603],
  header_mismatch: [-32600, -32020],
  missing_client_capability: [-32601, -32021],
  unsupported_protocol_version: [-32602, -32022],
  user_rejected: [-1, -1],
}

/** What the situations the specification describes without a code of their own are answered with, in every version. */
const borrowed: [number, ErrorKind[]][] = [
  [
    -32600,
    [
      'message_too_large',
      'message_too_deep',
      'batch_not_supported',
      'batch_invalid',
      'duplicate_request_id',
      'not_initialized',
      'already_initialized',
      'session_closed',
      'session_lost',
      'shutting_down',
    ],
  ],
  [-32601, ['capability_not_supported', 'refusal_unsupported_operation']],
  [
    -32602,
    [
      'request_metadata_missing',
      'request_state_invalid',
      'tool_not_found',
      'prompt_not_found',
      'task_not_found',
      'invalid_cursor',
      'invalid_log_level',
      'subscription_failed',
      'validation_failed',
      'tool_arguments_invalid',
      'tool_disabled',
      'tool_not_allowed',
      'version_gap',
      'refusal_invalid_input',
    ],
  ],
  [
    -32603,
    [
      'initialization_timeout',
      'connection_closed',
      'peer_unresponsive',
      'transport_error',
      'unauthorized',
      'forbidden',
      'request_timeout',
      'request_cancelled',
      'too_many_requests',
      'rate_limited',
      'request_ids_exhausted',
      'invalid_answer',
      'tool_execution_failed',
      'tool_timeout',
      'tool_cancelled',
      'result_too_large',
      'too_many_tools',
      'tool_dependency_failed',
      'tool_schema_invalid',
      'translation_failed',
      'missing_required_field',
      'refusal_content_policy',
      'refusal_safety',
      'refusal_rate_limited',
      'refusal_resource_constraints',
      'refusal_permission_denied',
      'refusal_unavailable',
      'refusal_dependency_failed',
      'refusal_custom',
    ],
  ],
]

const expected = new Map<ErrorKind, [number, number]>([
  ...(Object.entries(specified) as [ErrorKind, [number, number]][]),
  ...borrowed.flatMap(([code, kinds]) => kinds.map((kind): [ErrorKind, [number, number]] => [kind, [code, code]])),
])

describe('E1 the catalogue', () => {
  it('is covered by the expectations of this file', () => {
    expect([...expected.keys()].sort()).toEqual([...errorKinds].sort())
  })

  it.each(entries)('%s is complete', (kind, entry) => {
    expect(kind).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(entry.message).toMatch(/^[A-Z][^\n]*[^.\s]$/)
    expect(entry.when).toMatch(/^[A-Za-z].*\.$/)
    expect(entry.httpStatus).toBeGreaterThanOrEqual(400)
    expect(entry.httpStatus).toBeLessThan(600)
    expect(['retry', 'reconnect', 'abort', 'ignore']).toContain(entry.advice)
    expect(entry.recoverable).toBe(entry.advice === 'retry' || entry.advice === 'reconnect')
    expect(entry.codes[0]?.since).toBe('')
    expect(entry.codes.every(({ code }) => Number.isInteger(code))).toBe(true)
    expect(entry.codes.map(({ since }) => since)).toEqual([...entry.codes.map(({ since }) => since)].sort())
  })

  it('uses the HTTP statuses that 2026-07-28 demands', () => {
    const demanded = ['header_mismatch', 'missing_client_capability', 'unsupported_protocol_version'] as const
    expect(demanded.map((kind) => catalogue[kind].httpStatus)).toEqual([400, 400, 400])
    expect(catalogue.method_not_found.httpStatus).toBe(404)
  })

  it('knows its own names and nothing from the prototype', () => {
    expect(errorKinds.every(isErrorKind)).toBe(true)
    for (const other of ['constructor', '__proto__', 'toString', '', 'Parse_Error', 7, null, undefined, {}])
      expect(isErrorKind(other)).toBe(false)
  })
})

describe('E3 codes per version', () => {
  it.each([...expected])('%s', (kind, [older, newer]) => {
    expect(HANDSHAKE.map((version) => codeOf(kind, version))).toEqual(HANDSHAKE.map(() => older))
    expect(codeOf(kind, STATELESS)).toBe(newer)
    expect(codeOf(kind)).toBe(older)
    expect(codeOf(kind, '2099-01-01')).toBe(newer)
  })

  it.each(errorKinds)('%s has a code every version lets travel', (kind) => {
    for (const version of versions) expect(mayEmit(codeOf(kind, version), version)).toBe(true)
  })

  it('2026-07-28 forbids retired codes and the undefined part of its own range', () => {
    const allowed = []
    for (let code = -32099; code <= -32020; code++) if (mayEmit(code, STATELESS)) allowed.push(code)
    expect(allowed).toEqual([-32022, -32021, -32020])
    expect([-32002, -32042].some((code) => mayEmit(code, STATELESS))).toBe(false)
    expect([-32700, -32603, -32100, -32019, -32001, -32000, -1, 1001].every((code) => mayEmit(code, STATELESS))).toBe(
      true,
    )
    expect([-32002, -32042, -32050].every((code) => HANDSHAKE.every((version) => mayEmit(code, version)))).toBe(true)
  })

  it('older versions never see a code that only 2026-07-28 defines', () => {
    for (const kind of errorKinds)
      for (const version of HANDSHAKE) expect([-32020, -32021, -32022]).not.toContain(codeOf(kind, version))
  })
})

describe('E3 D the erlmcp numbering', () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const numbered = new Map<number, ErrorKind[]>()
  for (const [kind, { erlmcpCode }] of entries)
    if (erlmcpCode !== undefined) numbered.set(erlmcpCode, [...(numbered.get(erlmcpCode) ?? []), kind])

  it.each([
    ['core errors', range(-32010, -32001)],
    ['tool errors', range(-32040, -32031)],
    ['refusals', range(1001, 1010)],
    ['JSON-RPC', [-32700, -32600, -32601, -32602, -32603]],
  ])('has a name for each of the %s', (_, codes) => {
    expect(codes.filter((code) => !numbered.has(code))).toEqual([])
  })

  it('gives tools and refusals one number each, and no number outside its tables', () => {
    for (const code of [...range(-32040, -32031), ...range(1001, 1010)]) expect(numbered.get(code)).toHaveLength(1)
    const tables = new Set([
      ...range(-32010, -32001),
      ...range(-32040, -32031),
      ...range(1001, 1010),
      -32700,
      -32600,
      -32601,
      -32602,
      -32603,
    ])
    expect([...numbered.keys()].filter((code) => !tables.has(code))).toEqual([])
  })

  it('names what its documents name', () => {
    expect(numbered.get(-32001)).toEqual(['resource_not_found'])
    expect(numbered.get(-32002)).toEqual(['tool_not_found'])
    expect(numbered.get(-32003)).toEqual(['prompt_not_found'])
    expect(numbered.get(-32005)).toContain('not_initialized')
    expect(numbered.get(-32009)).toEqual(['request_timeout'])
    expect(numbered.get(-32010)).toContain('rate_limited')
  })
})

/**
 * Tool arguments that travel a second time as `Mcp-Param-*` headers: which ones, what they say, and whether a request's
 * headers agree with it (D-60, F9).
 */
import { type Body, isObject } from '../jsonrpc/index.ts'
import { decodeHeader, encodeHeader, HEADERS, namedBy } from '../protocol/index.ts'
import { ANNOTATION, annotationFault } from './header-rule.ts'
import { rewriteSchema } from './steps/schema-walk.ts'

export interface HeaderParam {
  /** In lower case: `mcp-param-region`. */
  readonly header: string
  /** Where the value is in the arguments: `['filter', 'region']`. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

const NONE: readonly HeaderParam[] = Object.freeze([])

/**
 * Keywords and names on one way down a schema; the wire allows less, a definition in the same process could even be a
 * circle.
 */
const MAX_TRAIL = 256

/** Longest piece of a value that is quoted in a message. */
const QUOTED = 100

/** What a header may hold when its value is not in the Base64 form. */
const LITERAL = /^[\t\x20-\x7e]*$/

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The annotated properties of an input schema, or why the tool is invalid: then a client on HTTP must not show it. */
export function headerParamsOf(inputSchema: unknown): readonly HeaderParam[] | string {
  if (!isObject(inputSchema)) return NONE
  let found: HeaderParam[] | undefined
  let fault: string | undefined
  const taken = new Set<string>()
  rewriteSchema(inputSchema, (schema, trail) => {
    if (fault !== undefined) return undefined
    if (trail.length > MAX_TRAIL) {
      fault = 'the input schema is nested too deeply'
      return undefined
    }
    const name = schema[ANNOTATION]
    if (name === undefined) return schema
    const invalid = annotationFault(schema, trail, taken)
    if (invalid !== undefined) {
      fault = `${ANNOTATION} ${quote(name)} at ${cut(trail.join('.') || 'the root')} ${invalid}`
      return undefined
    }
    const lower = (name as string).toLowerCase()
    taken.add(lower)
    found ??= []
    found.push({
      header: `${HEADERS.paramPrefix}${lower}`,
      path: trail.filter((_, at) => at % 2 === 1),
      type: schema['type'] as HeaderParam['type'],
    })
    return schema
  })
  return fault ?? found ?? NONE
}

/** The headers for the arguments of a call, encoded; what is absent, null or no single value has none. */
export function headersFor(params: readonly HeaderParam[], args: Body): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const param of params) {
    const text = textOf(valueAt(args, param.path))
    if (text !== undefined) headers[param.header] = encodeHeader(text)
  }
  return headers
}

/**
 * Why the headers of a request contradict its body, as the message of a header mismatch; `undefined` when they agree.
 * `header` looks a header up by its name in lower case. The version header is not looked at.
 */
export function headerObjection(
  method: string,
  params: Body,
  header: (name: string) => string | undefined,
  annotated: readonly HeaderParam[],
): string | undefined {
  const said = header(HEADERS.method)
  if (said !== method) return disagreement('Mcp-Method', said, method)
  const field = namedBy(method)
  if (field !== undefined) {
    const objection = objectionTo('Mcp-Name', header(HEADERS.name), params[field])
    if (objection !== undefined) return objection
  }
  if (annotated.length === 0) return undefined
  const args = params['arguments']
  for (const param of annotated) {
    const objection = objectionTo(param.header, header(param.header), valueAt(args, param.path))
    if (objection !== undefined) return objection
  }
  return undefined
}

function objectionTo(name: string, raw: string | undefined, value: unknown): string | undefined {
  // A value that no header can hold is left to the check of the parameters, which says more.
  if (raw === undefined) return textOf(value) === undefined ? undefined : disagreement(name, undefined, value)
  if (raw === value && isLiteral(raw)) return undefined
  const decoded = decodeHeader(raw)
  if (decoded === undefined) return `Header mismatch: ${name} has a Base64 value that cannot be read: ${quote(raw)}`
  if (decoded === raw && !LITERAL.test(raw))
    return `Header mismatch: ${name} has characters that a header must not have: ${quote(raw)}`
  return agrees(decoded, value) ? undefined : disagreement(name, decoded, value)
}

/** The plain values of nearly all requests, without a look at their encoding. */
const isLiteral = (raw: string): boolean => raw.charCodeAt(0) !== 0x3d && LITERAL.test(raw)

function agrees(decoded: string, value: unknown): boolean {
  // Beyond the safe integers two different numbers of the wire can be the same number here.
  if (typeof value === 'number')
    return DECIMAL.test(decoded) && Number(decoded) === value && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  const text = textOf(value)
  if (text === undefined || text === decoded) return text === decoded
  // Half a surrogate pair has no form in UTF-8 and travels as the replacement character.
  return decodeHeader(encodeHeader(text)) === decoded
}

/** A single value as the text of a header. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function disagreement(name: string, said: string | undefined, value: unknown): string {
  if (said === undefined) return `Header mismatch: ${name} is missing, the request says ${quote(value)}`
  return value === undefined || value === null
    ? `Header mismatch: ${name} is ${quote(said)}, the request has no such value`
    : `Header mismatch: ${name} is ${quote(said)}, the request says ${quote(value)}`
}

/** A value as JSON, so that nothing in it can break the line it is shown in. */
function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value))
  return typeof value === 'object' && value !== null ? 'no single value' : String(value)
}

function cut(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text
}

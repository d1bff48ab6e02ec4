/**
 * Errors with the codes erlmcp numbers them by; in specification traffic they have the specification's codes, and their
 * names (E3, D).
 */
import {
  catalogue,
  codeOf,
  type ErrorEntry,
  type ErrorKind,
  errorKinds,
  isErrorKind,
  KIND_KEY,
} from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { EditContext } from '../operation.ts'
import { keepCode, withoutCode } from '../steps/original-code.ts'
import { without } from '../steps/without.ts'

const VERSION = '2025-11-25'
const INTERNAL = codeOf('internal_error')
const NOT_FOUND = codeOf('resource_not_found', VERSION)

/** `data` key for the code of a refusal that has a number and no name. */
const CODE_KEY = 'erlmcp/code'

const [FIRST_REFUSAL, LAST_REFUSAL] = [1001, 1089]

/** Kinds that share their code with a more common one, as which it is read. */
const SECOND: ReadonlySet<ErrorKind> = new Set([
  'already_initialized',
  'missing_client_capability',
  'too_many_requests',
])

const erlmcpCode = (kind: ErrorKind): number | undefined => (catalogue[kind] as ErrorEntry).erlmcpCode

const kindByCode: ReadonlyMap<unknown, ErrorKind> = new Map(
  errorKinds
    .filter((kind) => !SECOND.has(kind))
    .flatMap((kind) => (erlmcpCode(kind) === undefined ? [] : [[erlmcpCode(kind), kind] as const])),
)

const taskCodes: ReadonlyMap<unknown, ErrorKind> = new Map([[-32001, 'task_not_found']])
/** No tool can be missing there: the peer follows the specification. */
const resourceCodes: ReadonlyMap<unknown, ErrorKind> = new Map([[-32002, 'resource_not_found']])

/** What a code means in the answer to one method. */
const kindByMethod: ReadonlyMap<string, ReadonlyMap<unknown, ErrorKind>> = new Map([
  ['initialize', new Map([[-32005, 'already_initialized' as const]])],
  ['resources/read', resourceCodes],
  ['resources/subscribe', resourceCodes],
  ['tasks/get', taskCodes],
  ['tasks/result', taskCodes],
  ['tasks/cancel', taskCodes],
])

/** Methods whose errors are read in the light of the method, and all others. */
export const errorMethods: readonly string[] = ['*', ...kindByMethod.keys()]

/** What a fact in `data` is called: here, and in erlmcp. */
const FACTS: Partial<Record<ErrorKind, readonly (readonly [standard: string, erlmcp: string])[]>> = {
  tool_not_found: [['name', 'toolId']],
  not_initialized: [['phase', 'currentPhase']],
  already_initialized: [['phase', 'currentPhase']],
  unsupported_protocol_version: [
    ['requested', 'requestedVersion'],
    ['supported', 'supportedVersions'],
  ],
}

export function errorToErlmcp(error: Body, context: EditContext): Body {
  const { code, data } = error
  const kind = namedKind(data) ?? (code === NOT_FOUND ? 'resource_not_found' : undefined)
  if (kind === undefined) return hasOtherMeaning(code) ? hideCode(error, code, context) : error
  const named = isObject(data) ? data : { ...(data === undefined ? {} : { value: data }), [KIND_KEY]: kind }
  const kept = kind === 'refusal_custom' ? named[CODE_KEY] : undefined
  return {
    ...error,
    code: isRefusal(kept) ? kept : (erlmcpCode(kind) ?? code),
    data: renamed({ ...without(named, CODE_KEY), [KIND_KEY]: kind }, kind, 0),
  }
}

export function errorFromErlmcp(error: Body, { method }: EditContext): Body {
  const { code, data } = error
  if (code === INTERNAL) return showCode(error)
  const kind = readKind(code, data, method)
  if (kind === undefined) return error
  const facts = renamed(isObject(data) ? data : data === undefined ? {} : { value: data }, kind, 1)
  const numbered = kind === 'refusal_custom' && code !== erlmcpCode(kind) ? { [CODE_KEY]: code } : {}
  return { ...error, code: codeOf(kind, VERSION), data: { ...facts, [KIND_KEY]: kind, ...numbered } }
}

/**
 * A code of the server that is also a code of erlmcp would be misread. It is kept as data, and restored for readers of
 * standard messages.
 */
function hideCode(error: Body, code: number, context: EditContext): Body {
  context.lose(`error code ${code} kept as data`, { path: 'code' })
  return { ...error, code: INTERNAL, data: keepCode(error['data'], code) }
}

function showCode(error: Body): Body {
  const { data, ...rest } = error
  const code = isObject(data) ? data['originalCode'] : undefined
  if (!hasOtherMeaning(code)) return error
  const before = withoutCode(data as Body)
  return before === undefined ? { ...rest, code } : { ...rest, code, data: before }
}

function hasOtherMeaning(code: unknown): code is number {
  const kind = kindByCode.get(code)
  return kind === undefined ? isRefusal(code) : codeOf(kind, VERSION) !== code
}

/** `undefined` where the code means the same in the specification. */
function readKind(code: unknown, data: unknown, method: string): ErrorKind | undefined {
  if (method === 'initialize' && isObject(data) && Array.isArray(data['supportedVersions']))
    return 'unsupported_protocol_version'
  const named = namedKind(data)
  if (named !== undefined && erlmcpCode(named) === code) return named
  return (
    kindByMethod.get(method)?.get(code) ??
    (hasOtherMeaning(code) ? (kindByCode.get(code) ?? 'refusal_custom') : undefined)
  )
}

function namedKind(data: unknown): ErrorKind | undefined {
  const named = isObject(data) ? data[KIND_KEY] : undefined
  return isErrorKind(named) ? named : undefined
}

function isRefusal(code: unknown): code is number {
  return Number.isInteger(code) && (code as number) >= FIRST_REFUSAL && (code as number) <= LAST_REFUSAL
}

/** Renames the facts of a kind from column `from` to the other one; a fact that has both names keeps them. */
function renamed(data: Body, kind: ErrorKind, from: 0 | 1): Body {
  let result = data
  for (const names of FACTS[kind] ?? []) {
    const [before, after] = [names[from], names[1 - from] as string]
    if (Object.hasOwn(result, before) && !Object.hasOwn(result, after))
      result = { ...without(result, before), [after]: result[before] }
  }
  return result
}

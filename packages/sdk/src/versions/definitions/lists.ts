/**
 * Lists as clients of a version can read them: one bad definition is mended or left out, so that it does not cost the
 * others.
 */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { supports } from '../methods.ts'
import type { Loss } from '../operation.ts'
import { newestVersion, type ProtocolVersion } from '../version.ts'
import {
  annotations,
  execution,
  icons,
  type Members,
  mendMembers,
  metadata,
  type Note,
  promptArguments,
  quoted,
  size,
  text,
  toolAnnotations,
} from './members.ts'
import { inputSchema, outputSchema } from './schemas.ts'

/** The rule under which these losses are reported. */
export const DEFINITION_RULE = 'R-01'

/** Many readers take messages of 128 levels; a definition stands at the fourth, and translation may add two. */
const MOST_LEVELS = 120

interface ListShape {
  /** The member of the result that holds the definitions. */
  readonly field: string
  readonly noun: string
  /** The member without which nothing can be done with a definition. */
  readonly key: string
  readonly members: Members
  /** What other members depend on each other for; `undefined` leaves the definition out. */
  readonly whole?: (item: Body, version: ProtocolVersion, note: Note) => Body | undefined
}

const SHOWN: Members = { title: text, description: text, icons, _meta: metadata }

const SHAPES: Readonly<Record<string, ListShape>> = {
  'tools/list': {
    field: 'tools',
    noun: 'tool',
    key: 'name',
    members: { ...SHOWN, annotations: toolAnnotations, execution },
    whole: withSchemas,
  },
  'prompts/list': { field: 'prompts', noun: 'prompt', key: 'name', members: { ...SHOWN, arguments: promptArguments } },
  'resources/list': {
    field: 'resources',
    noun: 'resource',
    key: 'uri',
    members: { ...SHOWN, mimeType: text, size, annotations },
    whole: (item, _version, note) => withName(item, 'uri', note),
  },
  'resources/templates/list': {
    field: 'resourceTemplates',
    noun: 'resource template',
    key: 'uriTemplate',
    members: { ...SHOWN, mimeType: text, annotations },
    whole: (item, _version, note) => withName(item, 'uriTemplate', note),
  },
}

/** The member of a list's result that holds its definitions; `undefined` for what is no list of definitions. */
export function definitionsIn(method: string): string | undefined {
  return Object.hasOwn(SHAPES, method) ? SHAPES[method]?.field : undefined
}

/**
 * A server that declares tools and lists none is of no use, and its clients should know: that list is never taken for
 * an empty one.
 */
const VITAL = 'tools/list'

/** What a list is that its server declares and does not know: an empty one. */
export function emptyIfUnknown(method: string, error: unknown): Body {
  const field = definitionsIn(method)
  const isUnknown =
    error instanceof ParleyError && error.kind === 'method_not_found' && error.receivedCode !== undefined
  if (!isUnknown || field === undefined || method === VITAL) throw error
  return { [field]: [] }
}

/** One definition that clients would refuse as it was. */
export interface BadDefinition {
  /** Its noun, and its name where it has one: `tool "search"`; `the list` for what is wrong beside the definitions. */
  readonly who: string
  readonly problems: readonly string[]
  /** Whether it could not be mended. */
  readonly isLeftOut: boolean
}

export interface ReadableList {
  /** The same reference when nothing was wrong. */
  readonly result: Body
  readonly losses: readonly Loss[]
  readonly bad: readonly BadDefinition[]
}

const NONE: readonly never[] = []

/** `version`: in whose vocabulary the result is. Throws `invalid_answer` for what is no list at all. */
export function readableList(method: string, listed: Body, version: ProtocolVersion = newestVersion): ReadableList {
  const shape = SHAPES[method] as ListShape
  const bad: BadDefinition[] = []
  const losses: Loss[] = []
  const tell = (each: BadDefinition, path: string): void => {
    const { who, problems, isLeftOut } = each
    bad.push(each)
    const detail = `${who} ${isLeftOut ? 'is left out' : 'was mended'}: it ${problems.join(', ')}`
    losses.push({ rule: DEFINITION_RULE, method, path, severity: isLeftOut ? 'w' : 'i', detail })
  }
  const tellOfFrame = (problem: string): void => tell({ who: 'the list', problems: [problem], isLeftOut: false }, '')
  let result = mendMembers(listed, frameOf(version), tellOfFrame)
  const items = result[shape.field]
  if (method !== VITAL && (items === undefined || items === null)) {
    tellOfFrame(`has no ${quoted(shape.field)}`)
    result = { ...result, [shape.field]: [] }
  } else if (!Array.isArray(items)) {
    throw new ParleyError('invalid_answer', { message: `The answer to ${method} has no list of ${shape.field}` })
  } else {
    const readable = readItems(shape, items, version, (each, at) => tell(each, `${shape.field}[${at}]`))
    if (readable !== items) result = { ...result, [shape.field]: readable }
  }
  return { result, losses: losses.length === 0 ? NONE : losses, bad: bad.length === 0 ? NONE : bad }
}

/**
 * What a list says beside its definitions: the end of a list is no cursor, and what is no word about caches is none.
 */
function frameOf(version: ProtocolVersion): Members {
  return supports(version, 'structured-values') ? STATELESS_FRAME : FRAME
}

const silently =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): unknown =>
    fits(value) ? value : undefined

const FRAME: Members = {
  nextCursor: (value, note, path) => (value === null ? undefined : text(value, note, path)),
  _meta: metadata,
}
const STATELESS_FRAME: Members = {
  ...FRAME,
  ttlMs: silently((value) => Number.isSafeInteger(value) && (value as number) >= 0),
  cacheScope: silently((value) => value === 'public' || value === 'private'),
}

function readItems(
  shape: ListShape,
  items: readonly unknown[],
  version: ProtocolVersion,
  tell: (bad: BadDefinition, at: number) => void,
): readonly unknown[] {
  let readable: unknown[] | undefined
  for (let at = 0; at < items.length; at++) {
    const problems: string[] = []
    const before = items[at]
    const after = readItem(shape, before, version, (problem) => problems.push(problem))
    if (problems.length > 0) tell({ who: nameOf(shape, before), problems, isLeftOut: after === undefined }, at)
    if (after !== before) readable ??= items.slice(0, at)
    if (after !== undefined) readable?.push(after)
  }
  return readable ?? items
}

function readItem(
  { key, members, whole }: ListShape,
  item: unknown,
  version: ProtocolVersion,
  note: Note,
): Body | undefined {
  if (!isObject(item)) return leaveOut(note, 'is no object')
  if (typeof item[key] !== 'string') return leaveOut(note, `has no ${quoted(key)}`)
  if (isDeeperThan(item, MOST_LEVELS)) return leaveOut(note, `is nested deeper than ${MOST_LEVELS} levels`)
  const mended = mendMembers(item, members, note)
  return whole === undefined ? mended : whole(mended, version, note)
}

function leaveOut(note: Note, problem: string): undefined {
  note(problem)
}

function withSchemas(tool: Body, version: ProtocolVersion, note: Note): Body | undefined {
  const input = inputSchema(tool['inputSchema'], version, note)
  if (input === undefined) return undefined
  const mended = input === tool['inputSchema'] ? tool : { ...tool, inputSchema: input }
  if (tool['outputSchema'] === undefined) return mended
  const output = outputSchema(tool['outputSchema'], version, note)
  if (output === tool['outputSchema']) return mended
  const { outputSchema: _, ...rest } = mended
  return output === undefined ? rest : { ...rest, outputSchema: output }
}

/** What has an address can be called by it. */
function withName(item: Body, key: string, note: Note): Body {
  if (typeof item['name'] === 'string') return item
  note('has no "name"')
  return { ...item, name: item['title'] ?? item[key] }
}

function nameOf({ noun, key }: ListShape, item: unknown): string {
  const name = isObject(item) ? (item[key] ?? item['name']) : undefined
  return typeof name === 'string' && name !== '' ? `${noun} ${quoted(name)}` : `a ${noun} without ${quoted(key)}`
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true
  // Only what can be nested is looked at again: most members are texts.
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && isDeeperThan(inner, levels - 1)) return true
  }
  return false
}

/**
 * What a comparison may overlook: the places where the rules change a message without anybody losing anything. Each
 * names its rule.
 */
import { isObject } from '../../src/jsonrpc/index.ts'
import type { Profile } from '../../src/versions/index.ts'
import type { Case } from './cases.ts'

export interface Indifference {
  readonly rule: string
  readonly why: string
  /** Matched against `method part path`; indexes are left out of the path: `tools/list result tools[].execution`. */
  readonly at: RegExp
  /** What is compared instead; the field is left out when there is none. */
  readonly as?: (value: unknown) => unknown
  readonly profile?: Profile
}

/** Says whether a field that holds nothing may be missing; the path is written as in the table. */
export type MayVanish = (path: string) => boolean

/** Parameters and metadata that hold nothing are as good as none. */
export const emptyMeta: MayVanish = (path) => path === '_meta'

/** A reader cannot tell an empty field from none, except where its presence is what it says. */
export const emptyFields: MayVanish = (path) => !path.startsWith('capabilities')

/** The body with everything in the table taken out, and without the empty fields that may vanish. */
export function essence(
  body: unknown,
  message: Case,
  table: readonly Indifference[],
  profile: Profile,
  mayVanish: MayVanish,
): unknown {
  const relevant = table.filter((entry) => (entry.profile ?? profile) === profile)
  const reduce = (value: unknown, path: string): unknown => {
    const place = `${message.method} ${message.part} ${path}`
    let reduced = value
    for (const { at, as } of relevant) if (at.test(place)) reduced = as?.(reduced)
    if (Array.isArray(reduced)) return reduced.map((inner) => reduce(inner, `${path}[]`))
    if (!isObject(reduced)) return reduced
    const kept = Object.entries(reduced).flatMap(([key, inner]) => {
      const inside = path === '' ? key : `${path}.${key}`
      const after = reduce(inner, inside)
      return after === undefined || (isNothing(after) && mayVanish(inside)) ? [] : [[key, after] as const]
    })
    return Object.fromEntries(kept)
  }
  return reduce(body ?? {}, '')
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

const firstOf = (content: unknown): unknown =>
  Array.isArray(content) && content.length < 2 ? (content[0] ?? { type: 'text', text: '' }) : content

const writtenOut = (schema: unknown): unknown => (schema === true ? {} : schema === false ? { not: {} } : schema)

const namedValues = (field: unknown): unknown => {
  if (!isObject(field) || !Array.isArray(field['oneOf'])) return field
  const { oneOf, ...rest } = field
  const options = oneOf as { const: string; title: string }[]
  return { ...rest, enum: options.map((option) => option.const), enumNames: options.map((option) => option.title) }
}

/** From a newer version down and up again, when no loss was reported. */
export const unreportedDown: readonly Indifference[] = [
  {
    rule: 'D-01',
    why: 'the envelope belongs to one connection and is written anew',
    at: / _meta\.io\.modelcontextprotocol\//,
  },
  { rule: 'D-02', why: 'every older result is complete', at: / result resultType$/ },
  { rule: 'D-42', why: 'how long a copy stays fresh is a matter of one hop', at: / result (ttlMs|cacheScope)$/ },
  {
    rule: 'A-02',
    why: 'the older version has completion without declaring it',
    at: /^initialize result capabilities\.completions$/,
  },
  {
    rule: 'B-02',
    why: 'an older server cannot ask, so nobody misses the offer',
    at: /^initialize params capabilities\.elicitation$/,
  },
  {
    rule: 'C-04',
    why: 'an older server cannot use the parts of the offer',
    at: /^initialize params capabilities\.sampling\.(context|tools)$/,
  },
  { rule: 'B-11', why: 'a date nobody shows', at: /annotations\.lastModified$/, profile: 'strict' },
  {
    rule: 'C-21',
    why: 'display text about the program',
    at: /(clientInfo|serverInfo)\.(description|websiteUrl)$/,
    profile: 'strict',
  },
  {
    rule: 'C-24',
    why: 'the receiver would ignore the wish anyway',
    at: / params task$|^initialize (params|result) capabilities\.tasks$/,
  },
  { rule: 'C-25', why: 'goes together with the tasks', at: / _meta\.io\.modelcontextprotocol\/related-task$/ },
  { rule: 'C-11', why: 'a form is the only mode of the older version', at: /^elicitation\/create params mode$/ },
  {
    rule: 'C-17',
    why: 'the dialect of a form is always the same',
    at: /^elicitation\/create params requestedSchema\.\$schema$/,
  },
  {
    rule: 'C-15',
    why: 'both say the same choices',
    at: /^elicitation\/create params requestedSchema\.properties\./,
    as: namedValues,
  },
  {
    rule: 'C-01',
    why: 'one block is a list of one',
    at: /^sampling\/createMessage (params messages\[\]\.|result )content$/,
    as: firstOf,
  },
  { rule: 'D-45', why: 'both mean the same schema', at: /Schema\.properties\.(a\.b|[^.]+)$/, as: writtenOut },
]

/** From an older version up and down again, when no loss was reported. */
export const unreportedUp: readonly Indifference[] = [
  {
    rule: 'C-22',
    why: 'the dialect that was silently meant is now spelled out',
    at: /(input|output)Schema\.\$schema$/,
  },
  { rule: 'D-07', why: 'the stateless server decides for itself', at: / params task$/ },
  { rule: 'D-41', why: 'tasks are no capability of the newer version', at: /^initialize result capabilities\.tasks$/ },
  { rule: 'D-47', why: 'a tool that does not run as a task says nothing by saying so', at: /tools\[\]\.execution$/ },
  {
    rule: 'D-48',
    why: 'the newer version has no such id, so the older one gets a fresh one',
    at: /^elicitation\/create params elicitationId$/,
  },
  {
    rule: 'D-57',
    why: 'the code means nothing outside resources/read, and the newer version does not allow it',
    at: /^(?!resources\/read )\S+ error code$/,
    as: (code) => (code === -32002 ? -32602 : code),
  },
]

/** Objects that go as a whole, and with them fields nobody knows. */
export const removedWhole: readonly Indifference[] = [
  { rule: 'D-01', why: 'the envelope is written anew on each side', at: / _meta\.io\.modelcontextprotocol\// },
  {
    rule: 'C-24',
    why: 'the receiver would ignore the wish anyway',
    at: / params task\b|^initialize (params|result) capabilities\.tasks\b/,
  },
  { rule: 'D-47', why: 'a tool that does not run as a task says nothing by saying so', at: /tools\[\]\.execution\b/ },
]

/**
 * Members of definitions, each with what published clients take there: what they refuse, they refuse a whole list for.
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'

/** Told what was wrong and is right now. */
export type Note = (problem: string) => void

/** The value as clients can read it, the same reference where nothing is wrong; `undefined` when it has to go. */
export type Mend = (value: unknown, note: Note, path: string) => unknown

export type Members = Readonly<Record<string, Mend>>

const LONGEST_SHOWN = 60

export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
}

/** Mends members that are there; those the table does not name stay as they are. */
export function mendMembers(value: Body, members: Members, note: Note, path = ''): Body {
  let copy: Body | undefined
  for (const name in members) {
    const before = value[name]
    if (before === undefined) continue
    const after = (members[name] as Mend)(before, note, path === '' ? name : `${path}.${name}`)
    if (after === before) continue
    copy ??= { ...value }
    if (after === undefined) delete copy[name]
    else copy[name] = after
  }
  return copy ?? value
}

function only(fits: (value: unknown) => boolean, what: string): Mend {
  return (value, note, path) => {
    if (fits(value)) return value
    note(`has a ${quoted(path)} that is no ${what}`)
    return undefined
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'

export const text: Mend = only(isText, 'text')
export const flag: Mend = only((value) => typeof value === 'boolean', 'true or false')
export const metadata: Mend = only(isObject, 'object')
export const size: Mend = only((value) => typeof value === 'number', 'number')

export function group(members: Members): Mend {
  return (value, note, path) => {
    if (isObject(value)) return mendMembers(value, members, note, path)
    note(`has a ${quoted(path)} that is no object`)
    return undefined
  }
}

/** Elements that do not fit are left out; `mend` gives `undefined` for those. */
export function listOf(mend: Mend): Mend {
  return (value, note, path) => {
    if (!Array.isArray(value)) {
      note(`has ${quoted(path)} that are no list`)
      return undefined
    }
    const mended = value.map((each: unknown, at) => mend(each, note, `${path}[${at}]`))
    return mended.every((each, at) => each === value[at]) ? value : mended.filter((each) => each !== undefined)
  }
}

function oneOf(...values: readonly string[]): Mend {
  return only((value) => values.includes(value as string), values.map((each) => JSON.stringify(each)).join(' or '))
}

const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const ICON: Members = { mimeType: text, sizes: only(isListOfTexts, 'list of texts'), theme: oneOf('light', 'dark') }

export const icons: Mend = listOf((value, note, path) => {
  if (isObject(value) && isText(value['src'])) return mendMembers(value, ICON, note, path)
  note(`has a ${quoted(path)} without "src"`)
  return undefined
})

export const execution: Mend = group({ taskSupport: oneOf('required', 'optional', 'forbidden') })

export const toolAnnotations: Mend = group({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
})

const isRoles = (value: unknown): boolean =>
  Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant')

export const annotations: Mend = group({
  audience: only(isRoles, 'list of "user" and "assistant"'),
  priority: only((value) => typeof value === 'number' && value >= 0 && value <= 1, 'number from 0 to 1'),
  lastModified: only(isDateTime, 'date and time with its zone'),
})

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

function isDateTime(value: unknown): boolean {
  const [, year, month, day] = (typeof value === 'string' && DATE_TIME.exec(value)) || []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1
}

export const promptArguments: Mend = listOf((value, note, path) => {
  if (isObject(value) && isText(value['name'])) return mendMembers(value, ARGUMENT, note, path)
  note(`has a ${quoted(path)} without "name"`)
  return undefined
})

const ARGUMENT: Members = { title: text, description: text, required: flag }

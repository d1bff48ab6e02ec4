/** Parameters as the peer wrote them, to be passed on. Reading and writing them again could change a number. */

import type { Body } from './message.ts'
import { endOfObject, endOfString, mayHoldProto } from './result-text.ts'

/**
 * May be longer than what a number can hold exactly, which is fifteen digits: where there are more, sixteen are in one
 * piece, or eight before the point or behind it.
 */
export const LONG = /\d(?:\d{7}(?:\.|\d{8})|\.\d{8}|[eE][+-]?\d{3})/
const TAB = 9
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125
const exact = new WeakMap<Body, string>()

/** `frame` is known to be one valid message, and `params` what was read from it. */
export function noteExact(frame: string, params: Body | undefined): void {
  // Members that parsing removes must not be passed on.
  if (params === undefined || !LONG.test(frame) || mayHoldProto(frame)) return
  const text = membersIn(frame)?.get('params')
  if (text !== undefined) exact.set(params, text)
}

/**
 * Writes parameters that were made of noted ones: what is the same in both goes on digit by digit. `undefined` when
 * nothing was noted.
 */
export function exactWriter(noted: Body): ((params: Body) => string) | undefined {
  const text = exact.get(noted)
  const members = text === undefined ? undefined : membersIn(text)
  if (members === undefined) return undefined
  return (params) => {
    const written = Object.entries(params).flatMap(([key, value]) => {
      const json =
        Object.hasOwn(noted, key) && noted[key] === value
          ? (members.get(key) ?? JSON.stringify(value))
          : JSON.stringify(value)
      return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`]
    })
    return `{${written.join(',')}}`
  }
}

/**
 * The members of a valid JSON object by their names; `undefined` when one is there twice, or the text has several
 * lines.
 */
export function membersIn(text: string): Map<string, string> | undefined {
  if (text.includes('\n') || text.includes('\r')) return undefined
  const members = new Map<string, string>()
  let at = skip(text, text.indexOf('{') + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const end = endOfString(text, at)
    const written = text.slice(at + 1, end)
    const name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
    if (members.has(name)) return undefined
    const start = skip(text, text.indexOf(':', end) + 1)
    const behind = endOfValue(text, start)
    if (behind === -1) return undefined
    members.set(name, text.slice(start, behind))
    at = skip(text, behind)
    if (text.charCodeAt(at) === COMMA) at = skip(text, at + 1)
  }
  return members
}

/**
 * The values of a valid JSON object of one line, which was read into one with these `names`. What has been read stands
 * in the order in which it was written, but for names that are there twice or look like numbers: those take longer to
 * find.
 */
export function valuesIn(text: string, names: readonly string[]): readonly string[] | undefined {
  const values: string[] = []
  let at = skip(text, 1)
  for (const name of names) {
    const closing = at + 1 + name.length
    if (text.charCodeAt(at) !== QUOTE || text.charCodeAt(closing) !== QUOTE || !text.startsWith(name, at + 1))
      return valuesByName(text, names)
    const start = skip(text, text.indexOf(':', closing) + 1)
    const behind = endOfValue(text, start)
    if (behind === -1) return undefined
    values.push(text.slice(start, behind))
    at = skip(text, behind)
    if (text.charCodeAt(at) === COMMA) at = skip(text, at + 1)
  }
  return text.charCodeAt(at) === QUOTE ? valuesByName(text, names) : values
}

/** How many members a valid JSON object has, counting those twice that are there twice. */
export function countMembers(text: string): number {
  let count = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) depth++
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
    else if (code === COLON && depth === 1) count++
  }
  return count
}

function valuesByName(text: string, names: readonly string[]): readonly string[] | undefined {
  const members = membersIn(text)
  return members === undefined ? undefined : names.map((name) => members.get(name) as string)
}

function skip(text: string, at: number): number {
  let next = at
  while (text.charCodeAt(next) === SPACE || text.charCodeAt(next) === TAB) next++
  return next
}

/** Behind the value that begins at `start`; arrays are looked through for what closes them. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start) + 1
  if (first === OPENING_BRACE) return endOfObject(text, start)
  if (first === OPENING_BRACKET) return endOfArray(text, start)
  let at = start
  while (at < text.length && !',}] \t'.includes(text[at] as string)) at++
  return at
}

function endOfArray(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPENING_BRACKET) depth++
    else if (code === CLOSING_BRACKET && --depth === 0) return at + 1
  }
  return -1
}

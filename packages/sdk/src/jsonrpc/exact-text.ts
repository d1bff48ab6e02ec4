/** Parameters as they were written, where reading and writing them again would change a number: for whoever hands them on. */

import type { Body } from './message.ts'
import { endOfObject, endOfString, mayHoldProto } from './result-text.ts'

/** Longer than what a number can hold exactly, in whatever notation. */
export const LONG = /\d{16}|\d[eE]\+?\d{3}/
const QUOTE = 34
const exact = new WeakMap<Body, string>()

/** `frame` is known to be one valid message, and `params` what was read from it. */
export function noteExact(frame: string, params: Body | undefined): void {
  // What reading removes must not be handed on either.
  if (params === undefined || !LONG.test(frame) || mayHoldProto(frame)) return
  const text = membersIn(frame)?.get('params')
  if (text !== undefined) exact.set(params, text)
}

/** Writes parameters that were made of noted ones: what is the same in both goes on digit by digit. `undefined` when nothing was noted. */
export function exactWriter(noted: Body): ((params: Body) => string) | undefined {
  const text = exact.get(noted)
  const members = text === undefined ? undefined : membersIn(text)
  if (members === undefined) return undefined
  return (params) => {
    const written = Object.entries(params).flatMap(([key, value]) => {
      const json = Object.hasOwn(noted, key) && noted[key] === value ? (members.get(key) ?? JSON.stringify(value)) : JSON.stringify(value)
      return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`]
    })
    return `{${written.join(',')}}`
  }
}

/** The members of a valid JSON object by their names; `undefined` when one is there twice, or the text has several lines. */
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
    if (text[at] === ',') at = skip(text, at + 1)
  }
  return members
}

function skip(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\t') next++
  return next
}

/** Behind the value that begins at `start`; arrays are looked through for what closes them. */
function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start) + 1
  if (first === '{') return endOfObject(text, start)
  if (first === '[') return endOfArray(text, start)
  let at = start
  while (at < text.length && !',}] \t'.includes(text[at] as string)) at++
  return at
}

function endOfArray(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text.charCodeAt(at) === QUOTE) at = endOfString(text, at)
    else if (text[at] === '[') depth++
    else if (text[at] === ']' && --depth === 0) return at + 1
  }
  return -1
}

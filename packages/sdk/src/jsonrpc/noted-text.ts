/**
 * The original text of results and of their parts. An unchanged part is written with its own text: numbers keep all
 * digits, and nothing is serialised again. docs/decisions/0013-exact-text-on-the-object.md says why the text is stored
 * on the object.
 */
import { countMembers, LONG, membersIn, valuesIn } from './exact-text.ts'
import { isObject } from './json.ts'
import type { Body } from './message.ts'

/** A shorter text is faster to write than to note. */
const WORTH_NOTING = 512
const QUOTE = 34

/** Processes that note no text do not look for one. */
let noted = false

/** Returns the given object, so that a subclass adds its private field to that object. */
class Given {
  constructor(given: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is its purpose.
    return given
  }
}

/**
 * The text in a private field of the object: other code does not see it, and copies do not have it. A `WeakMap` would
 * cost the garbage collector more than writing the object again.
 */
class Noted extends Given {
  #text: string

  constructor(value: object, text: string) {
    super(value)
    this.#text = text
  }

  static note(value: object, text: string): void {
    if (#text in value) value.#text = text
    else new Noted(value, text)
  }

  static textOf(value: object): string | undefined {
    return #text in value ? value.#text : undefined
  }
}

/**
 * `json` is one line of valid JSON, and `result` is its value. `kept` is `result`, or what is left of it without some
 * members. With a repeated name nothing is noted: readers do not agree which value counts. Repetitions inside of
 * members are not searched for, so code that decides by an inner value must write that value again.
 */
export function noteText(json: string, result: Body, kept: Body): void {
  const names = Object.keys(result)
  const isWhole = kept === result && json.charCodeAt(1) === QUOTE
  if (!isWorthNoting(json)) {
    if (isWhole && countMembers(json) === names.length) note(kept, json)
    return
  }
  const values = valuesIn(json, names)
  if (values === undefined) return
  noteValues(result, names, values)
  note(kept, isWhole ? json : textOfKept(kept, result, names, values))
}

/** The same for results that have been changed: only their parts can still be what they were. */
export function noteParts(json: string, result: Body): void {
  if (!isWorthNoting(json)) return
  const names = Object.keys(result)
  const values = valuesIn(json, names)
  if (values !== undefined) noteValues(result, names, values)
}

function noteValues(result: Body, names: readonly string[], values: readonly string[]): void {
  for (let at = 0; at < names.length; at++) {
    const value = result[names[at] as string]
    const text = values[at] as string
    if (typeof value === 'object' && value !== null && isWorthNoting(text)) note(value, text)
  }
}

/** `text` must say what `value` holds. */
export function note(value: object, text: string): void {
  Noted.note(value, text)
  noted = true
}

/**
 * Notes what was made of a noted body: members that are the same go on as they came, beside others that were added or
 * took the place of some.
 */
export function noteCopy(copy: Body, original: Body): void {
  const text = partAsNoted(original)
  const members = text === undefined ? undefined : membersIn(text)
  if (members !== undefined)
    note(
      copy,
      textWithParts(copy, (name, value) => (value === original[name] ? members.get(name) : undefined)),
    )
}

/**
 * The same for results: their members have been noted one by one, so nothing is looked for unless one of them is a
 * number.
 */
export function noteCopiedResult(copy: Body, original: Body): void {
  for (const name in original) if (typeof original[name] === 'number') return noteCopy(copy, original)
}

function textOfKept(kept: Body, result: Body, names: readonly string[], values: readonly string[]): string {
  let written = '{'
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string
    // Of what was taken out, a name such as `valueOf` would still find something.
    const value = Object.hasOwn(kept, name) ? kept[name] : undefined
    if (value === undefined) continue
    const json = value === result[name] ? (values[at] as string) : textOfPart(value, result[name], values[at] as string)
    written += `${written === '{' ? '' : ','}${JSON.stringify(name)}:${json}`
  }
  return `${written}}`
}

/**
 * A part in place of another, of which it may be what is left: the metadata of a result, without what is for this side
 * alone.
 */
function textOfPart(value: unknown, before: unknown, text: string): string {
  if (!isObject(value) || !isObject(before) || !isWorthNoting(text)) return JSON.stringify(value)
  const names = Object.keys(before)
  const values = Object.keys(value).every((name) => Object.hasOwn(before, name)) ? valuesIn(text, names) : undefined
  if (values === undefined) return JSON.stringify(value)
  const json = textOfKept(value, before, names, values)
  note(value, json)
  return json
}

/**
 * Whether it takes long to write, or has numbers that would be written otherwise; then so does any text of which it is
 * a part.
 */
export function isWorthNoting(text: string): boolean {
  return text.length >= WORTH_NOTING || LONG.test(text)
}

/** A body as it came, or with its noted parts as they came; undefined when it has none. */
export function textAsNoted(body: Body): string | undefined {
  if (!noted) return undefined
  return Noted.textOf(body) ?? (hasParts(body) ? textWithParts(body) : undefined)
}

function textWithParts(body: Body, known?: (name: string, value: unknown) => string | undefined): string {
  let written = '{'
  for (const name of Object.keys(body)) {
    const value = body[name]
    const json: string | undefined = textOf(value) ?? known?.(name, value) ?? JSON.stringify(value)
    if (json !== undefined) written += `${written === '{' ? '' : ','}${JSON.stringify(name)}:${json}`
  }
  return `${written}}`
}

/** A part of a body as it came; undefined for one that was not noted, or was made here. */
export function partAsNoted(part: unknown): string | undefined {
  return noted ? textOf(part) : undefined
}

/** The same by the name it has in a body: a number cannot be noted itself, so its words are those in the body's. */
export function memberAsNoted(body: Body, name: string): string | undefined {
  const value = body[name]
  if (typeof value !== 'number') return partAsNoted(value)
  const text = partAsNoted(body)
  return text === undefined ? undefined : membersIn(text)?.get(name)
}

/** Nearly no body has, and all are looked at. */
function hasParts(body: Body): boolean {
  for (const name in body) if (textOf(body[name]) !== undefined) return true
  return false
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? Noted.textOf(value) : undefined
}

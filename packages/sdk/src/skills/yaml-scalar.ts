/** Reads scalars of YAML 1.2 in the core schema, with and without quotes. */
import type { JsonValue } from '../jsonrpc/index.ts'

const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const BASED = /^0(?:o[0-7]+|x[\da-fA-F]+)$/
const NOT_JSON = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/** The value of an unquoted scalar. `undefined` if JSON cannot express it. */
export function plainValue(text: string): JsonValue | undefined {
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (NOT_JSON.test(text)) return undefined
  if (!DECIMAL.test(text) && !BASED.test(text)) return text
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Characters that cannot begin an unquoted scalar. */
const INDICATORS: ReadonlySet<string> = new Set(',[]{}#&*!|>\'"%@`')

export function canBeginPlain(text: string, at: number): boolean {
  const first = text[at]
  if (first === undefined || INDICATORS.has(first)) return false
  return !(first === '-' || first === '?' || first === ':') || !isBlank(text[at + 1])
}

/** The end of the text and of a line count as blank. */
export function isBlank(sign: string | undefined): boolean {
  return sign === undefined || sign === ' ' || sign === '\t' || sign === '\n'
}

export interface Quoted {
  readonly value: string
  /** The position after the closing quote. */
  readonly end: number
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads the quoted scalar at `start`. `undefined` if it does not end or has an unknown escape. */
export function readQuoted(text: string, start: number): Quoted | undefined {
  return text[start] === '"' ? readDouble(text, start + 1) : readSingle(text, start + 1)
}

function readSingle(text: string, start: number): Quoted | undefined {
  let value = ''
  let line = ''
  for (let at = start; at < text.length; ) {
    const sign = text[at] as string
    if (sign === '\n') {
      const { joint, next } = foldLine(text, at)
      value += line.trimEnd() + joint
      line = ''
      at = next
    } else if (sign === "'" && text[at + 1] !== "'") {
      return { value: value + line, end: at + 1 }
    } else {
      line += sign
      at += sign === "'" ? 2 : 1
    }
  }
  return undefined
}

function readDouble(text: string, start: number): Quoted | undefined {
  let value = ''
  let line = ''
  /** The length of the line up to its last escape. Trimming must not remove this part. */
  let escapedLength = 0
  for (let at = start; at < text.length; ) {
    const sign = text[at] as string
    if (sign === '"') return { value: value + line, end: at + 1 }
    const escaped = sign === '\\'
    if (text[escaped ? at + 1 : at] === '\n') {
      const { joint, next } = foldLine(text, escaped ? at + 1 : at)
      value += escaped
        ? line + (joint === ' ' ? '' : joint)
        : line.slice(0, Math.max(escapedLength, line.trimEnd().length)) + joint
      line = ''
      escapedLength = 0
      at = next
    } else if (escaped) {
      const read = readEscape(text, at + 1)
      if (read === undefined) return undefined
      line += read.value
      at = read.end
      escapedLength = line.length
    } else {
      line += sign
      at++
    }
  }
  return undefined
}

/**
 * Folds line breaks with the blanks around them: one becomes a space, further ones stay. `next`: the next character.
 */
export function foldLine(text: string, at: number): { joint: string; next: number } {
  let breaks = 0
  let next = at
  for (; next < text.length && isBlank(text[next]); next++) if (text[next] === '\n') breaks++
  return { joint: breaks === 1 ? ' ' : '\n'.repeat(breaks - 1), next }
}

function readEscape(text: string, at: number): Quoted | undefined {
  const name = text[at] ?? ''
  const length = HEX_LENGTH[name]
  if (length === undefined) {
    const value = ESCAPES[name]
    return value === undefined ? undefined : { value, end: at + 1 }
  }
  const digits = text.slice(at + 1, at + 1 + length)
  if (digits.length !== length || !/^[\da-fA-F]+$/.test(digits)) return undefined
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff) return undefined
  // Half of a surrogate pair is allowed, as in JSON.
  return { value: code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code), end: at + 1 + length }
}

/** Shapes of single values: texts, switches, numbers, durations and choices. */
import { milliseconds } from 'parley-mcp/engine'
import type { ConfigNode } from '../documents/document.ts'
import { nearest } from '../nearest.ts'
import type { ConfigLocation } from './location.ts'
import { quoted } from './problem-list.ts'
import { expandVariable, isText, PLACEHOLDER, rejectForText, rejectKind, type Shape } from './shape.ts'
import type { TextRule } from './text-rules.ts'

/** The longest delay of a timer. */
const LONGEST = 0x7fffffff

export function text(rule: TextRule): Shape<string> {
  return {
    schema: { anyOf: [{ type: 'string', pattern: rule.pattern.source }, PLACEHOLDER] },
    read(node, location) {
      if (!isText(node)) return rejectForText(node, location, rule.example)
      const expansion = location.expand(node)
      if (expansion === undefined || rule.pattern.test(expansion.text)) return expansion?.text
      const meant = expansion.filled ? undefined : rule.meant?.(expansion.text)
      location.problem(node.at, rule.wrong, meant === undefined ? rule.hint : `Did you mean ${quoted(meant)}?`)
      return undefined
    },
  }
}

export const flag: Shape<boolean> = {
  schema: { anyOf: [{ type: 'boolean' }, PLACEHOLDER] },
  read(node, location) {
    const given = bare(node, location, (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined))
    if (given === undefined || typeof given === 'boolean') return given
    return rejectKind(node, location, 'true or false', 'true')
  },
}

export function whole(least: number, most: number, example: number): Shape<number> {
  return {
    schema: { anyOf: [{ type: 'integer', minimum: least, maximum: most }, PLACEHOLDER] },
    read(node, location) {
      const given = bare(node, location, numberIn)
      if (given === undefined) return undefined
      if (typeof given !== 'number') return rejectKind(node, location, 'a whole number', `${example}, without quotes`)
      if (Number.isInteger(given) && given >= least && given <= most) return given
      location.problem(node.at, `Must be a whole number from ${least} to ${most}.`, 'Write a number within this range.')
      return undefined
    },
  }
}

/** Milliseconds, or a text with a unit. */
export const duration: Shape<number> = {
  schema: {
    anyOf: [
      { type: 'number', minimum: 1, maximum: LONGEST },
      { type: 'string', pattern: '^\\d{1,12}(?:\\.\\d{1,6})?(?:ms|s|m|h)$' },
      PLACEHOLDER,
    ],
  },
  read(node, location) {
    const given = bare(node, location, numberIn)
    if (given === undefined) return undefined
    if (typeof given !== 'number' && typeof given !== 'string') return rejectKind(node, location, 'a duration', '"30s"')
    const ms = Math.round(readDuration(given))
    if (typeof given === 'number' && ms > 0 && ms < 1000)
      location.warning(
        node.at,
        `A number without a unit is in milliseconds, so this is ${ms} ms.`,
        `Write "${ms}s" for seconds, or "${ms}ms".`,
      )
    if (ms >= 1 && ms <= LONGEST) return ms
    if (Number.isNaN(ms))
      location.problem(node.at, 'Not a duration.', 'Write "500ms", "30s", "5m" or "1h", or a number of milliseconds.')
    else
      location.problem(
        node.at,
        'Must be from 1 ms to 24 days.',
        'Write a duration within this range, or remove the key.',
      )
    return undefined
  },
}

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}
const SIZE = /^(\d{1,12}(?:\.\d{1,6})?)(B|KB|MB|GB|KiB|MiB|GiB)$/
const SMALLEST = 1024

/** Bytes, or a text with a unit. */
export function size(largest: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  return {
    schema: {
      anyOf: [
        { type: 'integer', minimum: SMALLEST, maximum: largest },
        { type: 'string', pattern: SIZE.source },
        PLACEHOLDER,
      ],
    },
    read(node, location) {
      const given = bare(node, location, numberIn)
      if (given === undefined) return undefined
      if (typeof given !== 'number' && typeof given !== 'string') return rejectKind(node, location, 'a size', '"64MiB"')
      const [, amount = '', unit = ''] = typeof given === 'string' ? (SIZE.exec(given) ?? []) : ['', String(given), 'B']
      const bytes = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
      if (Number.isSafeInteger(bytes) && bytes >= SMALLEST && bytes <= largest) return bytes
      if (unit === '')
        location.problem(node.at, 'Not a size.', 'Write "512KiB", "64MiB" or "1GiB", or a number of bytes.')
      else if (bytes > largest)
        location.problem(node.at, `Must be at most ${Math.floor(largest / 1024 ** 2)} MiB.`, 'Write a smaller size.')
      else location.problem(node.at, 'Must be at least 1 KiB.', 'Write a larger size, or remove the key.')
      return undefined
    },
  }
}

/** A fixed set of words. Several words may stand for the same value. */
export function choice<T extends string>(spellings: Readonly<Record<string, T>>): Shape<T> {
  const known = Object.keys(spellings)
  return {
    schema: { anyOf: [{ enum: known }, PLACEHOLDER] },
    read(node, location) {
      if (!isText(node)) return rejectForText(node, location, JSON.stringify(known[0]))
      const expansion = location.expand(node)
      if (expansion === undefined) return undefined
      if (Object.hasOwn(spellings, expansion.text)) return spellings[expansion.text]
      const meant = expansion.filled ? undefined : nearest(expansion.text, known)
      const all = known.map((word) => JSON.stringify(word)).join(', ')
      location.problem(
        node.at,
        expansion.filled
          ? 'The content of the variable is not a known value.'
          : `${quoted(expansion.text)} is not a known value.`,
        meant === undefined ? `Write one of ${all}.` : `Did you mean ${JSON.stringify(meant)}? Known are ${all}.`,
      )
      return undefined
    },
  }
}

export function names<const T extends string>(...texts: readonly T[]): Readonly<Record<T, T>> {
  return Object.fromEntries(texts.map((each) => [each, each])) as Record<T, T>
}

/** The value itself, or the content of its variable. Undefined if the variable has no value. */
function bare(
  node: ConfigNode,
  location: ConfigLocation,
  fromVariable: (text: string) => string | number | boolean | undefined,
): unknown {
  const expansion = expandVariable(node, location)
  if (expansion === 'not a variable') return node.kind === 'scalar' ? node.value : node
  return expansion === undefined ? undefined : (fromVariable(expansion.text) ?? expansion.text)
}

function numberIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** NaN if the text is not a duration. */
function readDuration(given: string | number): number {
  if (typeof given === 'number') return given
  try {
    return milliseconds(given as never)
  } catch {
    return Number.NaN
  }
}

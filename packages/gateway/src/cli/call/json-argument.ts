/** Reads JSON that the user typed. An error names the position of the mistake. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { usageError } from '../failure.ts'

const BEFORE = 40
const AFTER = 20

/** `what`: the beginning of the message, such as `The arguments`. */
export function readObject(text: string, what: string): Record<string, unknown> {
  const value = readJson(text, what)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw usageError(
    `${what} must be a JSON object, such as '{"city":"Oslo"}', not ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`,
  )
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(
      `${what} are not JSON: ${mistakeIn(text) ?? (error as Error).message}`,
      `quote the whole text for the shell: '{"key": "value"}'`,
    )
  }
}

/** Describes the mistake, with the text around it and a mark below it. */
function mistakeIn(text: string): string | undefined {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [first] = errors
  if (first === undefined) return undefined
  const before = text.slice(0, first.offset)
  const line = before.split('\n').length
  const start = before.lastIndexOf('\n') + 1
  const shownFrom = Math.max(start, first.offset - BEFORE)
  const shown = text.slice(shownFrom, first.offset + AFTER).split('\n')[0] ?? ''
  const words = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return `${words} at line ${line}, column ${first.offset - start + 1}\n  ${shown}\n  ${' '.repeat(first.offset - shownFrom)}^`
}

/**
 * Reads the YAML of a SKILL.md: mappings, lists and scalars in every notation, in the core schema of YAML 1.2. Anchors,
 * tags and keys that are not text are refused: JSON does not have them, and a small document could expand without
 * limit.
 */
import type { JsonObject, JsonValue } from '../jsonrpc/index.ts'
import { FlowReader } from './yaml-flow.ts'
import { canBeginPlain, isBlank, plainValue, readQuoted } from './yaml-scalar.ts'

const MAX_LENGTH = 64 * 1024
const MAX_DEPTH = 32

/** Throws a `SyntaxError` that names the line. */
export function parseYaml(source: string): JsonObject {
  if (source.length > MAX_LENGTH) throw new SyntaxError(`is longer than ${MAX_LENGTH} characters`)
  return new BlockReader(source.replace(/\r\n?/g, '\n').replace(/\n$/, '')).document()
}

interface Key {
  readonly name: string
  /** The column after the colon. */
  readonly end: number
}

class BlockReader {
  readonly #text: string
  readonly #rows: readonly string[]
  /** The position of each row in the text. */
  readonly #starts: readonly number[]
  #row = 0

  constructor(text: string) {
    this.#text = text
    this.#rows = text.split('\n')
    let start = 0
    this.#starts = this.#rows.map((row) => {
      const own = start
      start += row.length + 1
      return own
    })
  }

  document(): JsonObject {
    this.#skipBlank()
    if (this.#ended) return {}
    const mapping = this.#mapping(this.#indent(), 0)
    if (!this.#ended) throw this.#error('does not belong to what is above it')
    return mapping
  }

  get #ended(): boolean {
    return this.#row >= this.#rows.length
  }

  get #current(): string {
    return this.#rows[this.#row] as string
  }

  /** Reads the node at `column` of the current row. `parent`: the column of its collection. */
  #node(column: number, parent: number, depth: number): JsonValue {
    if (isDash(this.#current, column)) return this.#list(column, depth)
    return this.#keyAt(column) === undefined ? this.#inline(column, parent) : this.#mapping(column, depth)
  }

  #mapping(column: number, depth: number): JsonObject {
    this.#checkDepth(depth)
    const entries = new Map<string, JsonValue>()
    do {
      const key = this.#keyAt(column)
      if (key === undefined) throw this.#error('is not of the form "key: value"')
      if (entries.has(key.name)) throw this.#error(`has the key ${JSON.stringify(key.name)} a second time`)
      entries.set(key.name, this.#value(key.end, column, true, depth))
    } while (this.#continues(column))
    return Object.fromEntries(entries)
  }

  #list(column: number, depth: number): JsonValue[] {
    this.#checkDepth(depth)
    const items: JsonValue[] = []
    do {
      const start = afterBlanks(this.#current, column + 1)
      const nested =
        isDash(this.#current, start) || (isContent(this.#current, start) && this.#keyAt(start) !== undefined)
      items.push(nested ? this.#node(start, column, depth + 1) : this.#value(column + 1, column, false, depth))
    } while (this.#continues(column) && isDash(this.#current, column))
    return items
  }

  /** Reads the value after a colon or a dash, on the same row or below. */
  #value(from: number, parent: number, ofMapping: boolean, depth: number): JsonValue {
    const column = afterBlanks(this.#current, from)
    if (isContent(this.#current, column)) return this.#inline(column, parent)
    this.#row++
    this.#skipBlank()
    if (this.#ended) return null
    const indent = this.#indent()
    if (indent > parent) return this.#node(indent, parent, depth + 1)
    return ofMapping && indent === parent && isDash(this.#current, indent) ? this.#list(indent, depth + 1) : null
  }

  /** Reads a scalar or brackets. */
  #inline(column: number, parent: number): JsonValue {
    switch (this.#current[column]) {
      case '|':
      case '>':
        return this.#block(column, parent)
      case '"':
      case "'": {
        const quoted = readQuoted(this.#text, this.#position(column))
        if (quoted === undefined) throw this.#error('has a quoted text without an end, or with an unknown escape')
        this.#leave(quoted.end)
        return quoted.value
      }
      case '[':
      case '{': {
        const flow = new FlowReader(this.#text, this.#position(column), MAX_DEPTH)
        try {
          const value = flow.value()
          this.#leave(flow.at)
          return value
        } catch (error) {
          throw error instanceof SyntaxError && !error.message.startsWith('line ') ? this.#error(error.message) : error
        }
      }
      default:
        return this.#plain(column, parent)
    }
  }

  #plain(column: number, parent: number): JsonValue {
    if (!canBeginPlain(this.#current, column))
      throw this.#error(`cannot have "${this.#current[column]}" there; put the value into quotes`)
    const line = this.#row
    let text = this.#plainRow(column)
    let commented = text.length < this.#current.trimEnd().length - column
    this.#row++
    for (let gap = 0; !this.#ended; this.#row++) {
      if (this.#current.trim() === '') {
        gap++
        continue
      }
      const indent = this.#current.search(/[^ ]/)
      if (indent <= parent || this.#current.trimStart().startsWith('#')) break
      if (commented) throw this.#error('does not belong to what is above it')
      const start = afterBlanks(this.#current, indent)
      const row = this.#plainRow(start)
      commented = row.length < this.#current.trimEnd().length - start
      text += (gap === 0 ? ' ' : '\n'.repeat(gap)) + row
      gap = 0
    }
    const value = plainValue(text)
    if (value === undefined) throw this.#error('has a number that JSON does not have', line)
    return value
  }

  /** The part of an unquoted scalar that is on the current row. */
  #plainRow(column: number): string {
    const row = this.#current
    for (let at = column; at < row.length; at++) {
      if (row[at] === ':' && isBlank(row[at + 1]))
        throw this.#error('has ": " within a value; put the value into quotes')
      if (row[at] === '#' && isBlank(row[at - 1])) return row.slice(column, at).trimEnd()
    }
    return row.slice(column).trimEnd()
  }

  /** Reads the text below `|` or `>`. */
  #block(column: number, parent: number): string {
    const header = /^([|>])(?:([-+])?([1-9])?|([1-9])([-+]))[ \t]*(?:[ \t]#.*)?$/.exec(this.#current.slice(column))
    if (header === null) throw this.#error('has something after the sign of a block; put the value into quotes')
    const [, style, sign = header[5], digit = header[4]] = header
    this.#row++
    const indent = digit === undefined ? this.#blockIndent(parent) : Math.max(parent, 0) + Number(digit)
    const rows: string[] = []
    for (; !this.#ended; this.#row++) {
      const row = this.#current
      if (row.trim() !== '' && row.search(/[^ ]/) < indent) break
      rows.push(row.slice(indent))
    }
    // Rows with only spaces are not content.
    let content = rows.some((row) => row.trim() !== '') ? rows.length : 0
    while (content > 0 && rows[content - 1] === '') content--
    const body = rows.slice(0, content)
    const text = style === '|' ? body.join('\n') : folded(body)
    if (sign === '+') return text + '\n'.repeat(rows.length - content + (content > 0 ? 1 : 0))
    return sign === '-' || content === 0 ? text : `${text}\n`
  }

  /** The indentation of the first row that is not blank. */
  #blockIndent(parent: number): number {
    for (let at = this.#row; at < this.#rows.length; at++) {
      const row = this.#rows[at] as string
      if (row.trim() !== '') return Math.max(row.search(/[^ ]/), parent + 1)
    }
    return parent + 1
  }

  #keyAt(column: number): Key | undefined {
    const row = this.#current
    const quote = row[column]
    if (quote === '"' || quote === "'") {
      const quoted = readQuoted(row, column)
      if (quoted === undefined) return undefined
      const colon = afterBlanks(row, quoted.end)
      return row[colon] === ':' && isBlank(row[colon + 1]) ? { name: quoted.value, end: colon + 1 } : undefined
    }
    if (!canBeginPlain(row, column)) return undefined
    for (let at = column; at < row.length; at++) {
      if (row[at] === '#' && isBlank(row[at - 1])) return undefined
      if (row[at] !== ':' || !isBlank(row[at + 1])) continue
      const name = row.slice(column, at).trimEnd()
      if (name === '<<') throw this.#error('merges another mapping, which is not supported')
      return { name, end: at + 1 }
    }
    return undefined
  }

  /** Whether the next row that is not blank belongs to the same collection. */
  #continues(column: number): boolean {
    this.#skipBlank()
    if (this.#ended) return false
    const indent = this.#indent()
    if (indent > column) throw this.#error('is indented more than what it belongs to')
    return indent === column
  }

  #skipBlank(): void {
    while (!this.#ended && /^[ \t]*(?:#.*)?$/.test(this.#current)) this.#row++
  }

  #indent(): number {
    const indent = this.#current.search(/[^ ]/)
    if (this.#current[indent] === '\t') throw this.#error('is indented by a tab; use spaces')
    return indent
  }

  #position(column: number): number {
    return (this.#starts[this.#row] as number) + column
  }

  /** Moves to the row after `position`, where a value of several rows has ended. */
  #leave(position: number): void {
    while (this.#row + 1 < this.#rows.length && (this.#starts[this.#row + 1] as number) <= position) this.#row++
    const column = position - (this.#starts[this.#row] as number)
    const next = afterBlanks(this.#current, column)
    if (isContent(this.#current, next) || (next === column && next < this.#current.length))
      throw this.#error('has something after the end of its value')
    this.#row++
  }

  #checkDepth(depth: number): void {
    if (depth > MAX_DEPTH) throw this.#error('is nested too deeply')
  }

  #error(what: string, row = this.#row): SyntaxError {
    return new SyntaxError(`line ${row + 1} ${what}`)
  }
}

function isDash(row: string, column: number): boolean {
  return row[column] === '-' && isBlank(row[column + 1])
}

/** False at the end of the row and at a comment. */
function isContent(row: string, column: number): boolean {
  return column < row.length && !(row[column] === '#' && isBlank(row[column - 1]))
}

function afterBlanks(row: string, column: number): number {
  let at = column
  while (row[at] === ' ' || row[at] === '\t') at++
  return at
}

/** Line breaks become spaces, except around rows that are indented further. */
function folded(rows: readonly string[]): string {
  let text = ''
  let gap = 0
  let before: 'nothing' | 'text' | 'further' = 'nothing'
  for (const row of rows) {
    if (row === '') {
      gap++
      continue
    }
    const now = row[0] === ' ' || row[0] === '\t' ? 'further' : 'text'
    const breaks = before === 'nothing' ? gap : now === 'further' || before === 'further' ? gap + 1 : gap
    text += (before !== 'nothing' && breaks === 0 ? ' ' : '\n'.repeat(breaks)) + row
    before = now
    gap = 0
  }
  return text
}

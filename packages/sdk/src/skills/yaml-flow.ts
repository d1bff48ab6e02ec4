/** Reads lists and mappings of YAML in brackets, also over several lines. */
import type { JsonValue } from '../jsonrpc/index.ts'
import { canBeginPlain, foldLine, isBlank, plainValue, readQuoted } from './yaml-scalar.ts'

const ENDS: ReadonlySet<string> = new Set(',[]{}')

/** Throws errors without a position. The caller adds it. */
export class FlowReader {
  readonly #text: string
  readonly #maxDepth: number
  at: number

  constructor(text: string, at: number, maxDepth: number) {
    this.#text = text
    this.at = at
    this.#maxDepth = maxDepth
  }

  value(depth = 0): JsonValue {
    if (depth > this.#maxDepth) throw new SyntaxError('is nested too deeply')
    switch (this.#skip()) {
      case '[':
        return this.#list(depth)
      case '{':
        return this.#mapping(depth)
      case '"':
      case "'":
        return this.#quoted()
      default: {
        const value = plainValue(this.#plain())
        if (value === undefined) throw new SyntaxError('has a number that JSON does not have')
        return value
      }
    }
  }

  #list(depth: number): JsonValue[] {
    const items: JsonValue[] = []
    this.at++
    while (this.#skip() !== ']') {
      items.push(this.value(depth + 1))
      if (this.#skip() === ',') this.at++
      else if (this.#text[this.at] !== ']') throw new SyntaxError('has a list without an end')
    }
    this.at++
    return items
  }

  #mapping(depth: number): JsonValue {
    const entries = new Map<string, JsonValue>()
    this.at++
    while (this.#skip() !== '}') {
      const quote = this.#text[this.at]
      const key = quote === '"' || quote === "'" ? this.#quoted() : this.#plain()
      if (entries.has(key)) throw new SyntaxError(`has the key ${JSON.stringify(key)} twice`)
      let value: JsonValue = null
      if (this.#skip() === ':') {
        this.at++
        const next = this.#skip()
        if (next !== ',' && next !== '}') value = this.value(depth + 1)
      }
      entries.set(key, value)
      if (this.#skip() === ',') this.at++
      else if (this.#text[this.at] !== '}') throw new SyntaxError('has a mapping without an end')
    }
    this.at++
    return Object.fromEntries(entries)
  }

  #quoted(): string {
    const quoted = readQuoted(this.#text, this.at)
    if (quoted === undefined) throw new SyntaxError('has a quoted text without an end, or with an unknown escape')
    this.at = quoted.end
    return quoted.value
  }

  #plain(): string {
    const text = this.#text
    if (!canBeginPlain(text, this.at))
      throw new SyntaxError(
        this.at >= text.length ? 'has brackets without an end' : `cannot have "${text[this.at]}" there`,
      )
    let value = ''
    let line = ''
    while (this.at < text.length) {
      const sign = text[this.at] as string
      if (ENDS.has(sign)) break
      if (sign === ':' && (isBlank(text[this.at + 1]) || ENDS.has(text[this.at + 1] as string))) break
      if (sign === '#' && isBlank(text[this.at - 1])) break
      if (sign === '\n') {
        const { joint, next } = foldLine(text, this.at)
        value += line.trimEnd() + joint
        line = ''
        this.at = next
      } else {
        line += sign
        this.at++
      }
    }
    return (value + line).trimEnd()
  }

  /** Skips blanks and comments. Returns the next character. */
  #skip(): string | undefined {
    const text = this.#text
    for (; this.at < text.length; this.at++) {
      if (text[this.at] === '#' && isBlank(text[this.at - 1])) {
        const end = text.indexOf('\n', this.at)
        this.at = end === -1 ? text.length : end
      }
      if (!isBlank(text[this.at])) break
    }
    return text[this.at]
  }
}

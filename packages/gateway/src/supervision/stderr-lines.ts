/** Keeps the last lines of a process's standard error, without secrets and control characters, within a fixed size. */
import { stripVTControlCharacters } from 'node:util'
import type { Redact } from './redaction.ts'

const MAX_LINES = 100
const MAX_CHARACTERS = 64 * 1024
const MAX_LINE = 2000
/** Characters read of one line. The rest is dropped. */
const MAX_UNFINISHED = 16 * 1024
/** Text before quoted lines. */
export const STDERR = '; the end of its standard error:\n'
const QUOTED_LINES = 20
const QUOTED_BYTES = 4096

export class StderrLines {
  readonly #redact: Redact
  readonly #onLine: (line: string) => void
  #lines: string[] = []
  #characters = 0
  #unfinished = ''

  constructor(redact: Redact, onLine: (line: string) => void) {
    this.#redact = redact
    this.#onLine = onLine
  }

  push(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#append(text, from, end)
      this.#finish()
      from = end + 1
    }
    this.#append(text, from, text.length)
  }

  /** Ends the input. An unfinished line becomes a line. */
  end(): void {
    this.#finish()
  }

  /** Oldest first. */
  get lines(): readonly string[] {
    return this.#lines
  }

  #append(text: string, from: number, to: number): void {
    const room = MAX_UNFINISHED - this.#unfinished.length
    if (room > 0) this.#unfinished += text.slice(from, Math.min(to, from + room))
  }

  #finish(): void {
    const line = this.#clean(this.#unfinished)
    this.#unfinished = ''
    if (line === '') return
    this.#lines.push(line)
    this.#characters += line.length
    while (this.#lines.length > MAX_LINES || this.#characters > MAX_CHARACTERS)
      this.#characters -= (this.#lines.shift() as string).length
    this.#onLine(line)
  }

  #clean(line: string): string {
    const plain = stripVTControlCharacters(line).replace(/\p{Cc}/gu, ' ')
    // Secrets are removed before the line is cut, so that no part of a secret remains.
    return cut(this.#redact(plain).trimEnd(), MAX_LINE)
  }
}

/** The last lines as the end of an error message, as many as fit. */
export function quoted(lines: readonly string[]): string {
  const kept: string[] = []
  let bytes = 0
  for (const line of lines.slice(-QUOTED_LINES).reverse()) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > QUOTED_BYTES && kept.length > 0) break
    kept.unshift(bytes > QUOTED_BYTES ? cut(line, QUOTED_BYTES / 4) : line)
  }
  return kept.length === 0 ? '' : `${STDERR}${kept.join('\n')}`
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** The end of the standard error of a process, for error messages. */

export const QUOTED_LINES = 20
const QUOTED_CHARACTERS = 2000
const MAX_BYTES = 64 * 1024
const MAX_LINES = 200

export class StderrTail {
  #chunks: Uint8Array[] = []
  #bytes = 0

  push(chunk: Uint8Array): void {
    const part = chunk.length > MAX_BYTES ? chunk.subarray(-MAX_BYTES) : chunk
    this.#chunks.push(part)
    this.#bytes += part.length
    // Many small chunks need more memory than their bytes.
    if (this.#bytes > 2 * MAX_BYTES || this.#chunks.length > 1000) this.#shrink()
  }

  /** The last lines, at most `lines` of them. */
  text(lines: number = MAX_LINES): string {
    this.#shrink()
    const [kept = new Uint8Array(0)] = this.#chunks
    return new TextDecoder().decode(kept).trimEnd().split(/\r?\n/).slice(-Math.min(lines, MAX_LINES)).join('\n')
  }

  #shrink(): void {
    const kept = Uint8Array.from(Buffer.concat(this.#chunks).subarray(-MAX_BYTES))
    this.#chunks = [kept]
    this.#bytes = kept.length
  }
}

const QUOTE_PREFIX = '; its last words: '

/** The end of an error message. */
export function quoted(text: string): string {
  if (text === '') return ''
  return `${QUOTE_PREFIX}${text.length > QUOTED_CHARACTERS ? `…${text.slice(-QUOTED_CHARACTERS)}` : text}`
}

/** The message without the quote. */
export function unquoted(message: string): string {
  const at = message.indexOf(QUOTE_PREFIX)
  return at === -1 ? message : message.slice(0, at)
}

/** The end of what a process wrote to its standard error, for the error message when it is gone. */

export const QUOTED_LINES = 20
const QUOTED_CHARACTERS = 2000
const MAX_BYTES = 64 * 1024
const MAX_LINES = 200

export class LastWords {
  #chunks: Uint8Array[] = []
  #bytes = 0

  push(chunk: Uint8Array): void {
    const part = chunk.length > MAX_BYTES ? chunk.subarray(-MAX_BYTES) : chunk
    this.#chunks.push(part)
    this.#bytes += part.length
    // Many small chunks cost more than their bytes.
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

const LAST_WORDS = '; its last words: '

/** As the end of an error message. */
export function quoted(words: string): string {
  if (words === '') return ''
  return `${LAST_WORDS}${words.length > QUOTED_CHARACTERS ? `…${words.slice(-QUOTED_CHARACTERS)}` : words}`
}

/** The message without them. */
export function unquoted(message: string): string {
  const at = message.indexOf(LAST_WORDS)
  return at === -1 ? message : message.slice(0, at)
}

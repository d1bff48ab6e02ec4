/**
 * Remembers the last text of each list of one server with its finished answer, for all clients of a version, until the
 * server sends another text.
 */
import type { Loss } from 'parley-mcp'
import type { Introduction, Serialised } from 'parley-mcp/engine'

export interface KnownList {
  /** As the server wrote it. */
  readonly text: string
  readonly answer: Serialised
  /** What the translation has lost. Reported to each client that gets the answer. */
  readonly losses: readonly Loss[]
  /** The introduction of the server when it wrote the text. */
  readonly of: Introduction | undefined
}

const MAX_PAGES = 64
const MAX_TEXT_LENGTH = 512 * 1024

export class ListMemory {
  readonly #lists = new Map<string, KnownList>()

  find(key: string, of: Introduction | undefined): KnownList | undefined {
    const known = this.#lists.get(key)
    return known?.of === of ? known : undefined
  }

  keep(key: string, list: KnownList): void {
    if (list.text.length > MAX_TEXT_LENGTH) return
    this.#lists.delete(key)
    this.#lists.set(key, list)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > MAX_PAGES && oldest !== undefined) this.#lists.delete(oldest)
  }
}

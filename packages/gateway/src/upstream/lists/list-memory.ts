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
  /** What was lost when it was translated; for everybody who is given it. */
  readonly losses: readonly Loss[]
  /** What the server was when it wrote it. */
  readonly of: Introduction | undefined
}

/** Most pages that are remembered, and the longest. */
const MOST = 64
const LONGEST = 512 * 1024

export class ListMemory {
  readonly #lists = new Map<string, KnownList>()

  find(key: string, of: Introduction | undefined): KnownList | undefined {
    const known = this.#lists.get(key)
    return known?.of === of ? known : undefined
  }

  keep(key: string, list: KnownList): void {
    if (list.text.length > LONGEST) return
    this.#lists.delete(key)
    this.#lists.set(key, list)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > MOST && oldest !== undefined) this.#lists.delete(oldest)
  }
}

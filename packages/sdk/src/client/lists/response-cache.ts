/** Answers that are still fresh, as long as their server said they would be and nobody said otherwise (D-42, F9). */
import type { Body } from '../../jsonrpc/index.ts'
import type { Clock } from '../../session/index.ts'

interface Kept {
  readonly method: string
  /** Text, because what is handed out belongs to whoever asked, and may be changed by them. */
  readonly text: string
  readonly since: number
  readonly until: number
}

const MAX_ENTRIES = 500
/** Characters of all texts together: entries come from the server and may be long. */
const MAX_LENGTH = 16 * 1024 * 1024

export class ResponseCache {
  readonly #clock: Clock
  readonly #maxEntries: number
  readonly #maxLength: number
  /** Oldest first. */
  readonly #entries = new Map<string, Kept>()
  /** How often answers to a method were declared out of date: one that was on its way meanwhile may be so, too. */
  readonly #epochs = new Map<string, number>()
  #epoch = 0
  #length = 0

  constructor(
    clock: Clock,
    { entries = MAX_ENTRIES, length = MAX_LENGTH }: { entries?: number; length?: number } = {},
  ) {
    this.#clock = clock
    this.#maxEntries = entries
    this.#maxLength = length
  }

  get size(): number {
    return this.#entries.size
  }

  /** Whether `get` would give something. */
  has(method: string, detail: string | undefined): boolean {
    return this.#fresh(keyOf(method, detail)) !== undefined
  }

  /** `detail`: the parameter that tells requests of the method apart; any string, the empty one, too (D-52). */
  get(method: string, detail: string | undefined): Body | undefined {
    const kept = this.#fresh(keyOf(method, detail))
    return kept === undefined ? undefined : (JSON.parse(kept.text) as Body)
  }

  /** Call it when the request is made; the returned function keeps the answer, unless it is of no use any more. */
  expect(method: string, detail: string | undefined): (result: Body) => void {
    const epoch = this.#epochOf(method)
    return (result) => {
      const ttl = result['ttlMs']
      if (epoch !== this.#epochOf(method)) return
      const key = keyOf(method, detail)
      const before = this.#entries.get(key)
      if (before !== undefined) this.#remove(key, before)
      if (typeof ttl !== 'number' || !(ttl > 0)) return
      this.#keep(key, method, JSON.stringify(result), ttl)
    }
  }

  /** Grows whenever an answer to the method was found to be out of date before its time. */
  #epochOf(method: string): number {
    return this.#epoch + (this.#epochs.get(method) ?? 0)
  }

  /** All answers to these methods, or those about a detail that `concerned` picks. */
  forget(methods: readonly string[], concerned?: (detail: string) => boolean): void {
    for (const method of methods) this.#epochs.set(method, (this.#epochs.get(method) ?? 0) + 1)
    for (const [key, kept] of this.#entries) {
      if (methods.includes(kept.method) && (concerned === undefined || concerned(key.slice(kept.method.length + 1))))
        this.#remove(key, kept)
    }
  }

  clear(): void {
    this.#epoch++
    this.#entries.clear()
    this.#length = 0
  }

  #fresh(key: string): Kept | undefined {
    const kept = this.#entries.get(key)
    if (kept === undefined) return undefined
    const now = this.#clock.now()
    // A clock that was set back says nothing about how old the answer is.
    if (now >= kept.since && now < kept.until) return kept
    this.#remove(key, kept)
    return undefined
  }

  #keep(key: string, method: string, text: string, ttl: number): void {
    // One answer must not push out all the others.
    if (text.length > this.#maxLength / 4) return
    const since = this.#clock.now()
    this.#entries.set(key, { method, text, since, until: since + ttl })
    this.#length += text.length
    for (const [oldest, kept] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#length <= this.#maxLength) return
      this.#remove(oldest, kept)
    }
  }

  #remove(key: string, kept: Kept): void {
    this.#entries.delete(key)
    this.#length -= kept.text.length
  }
}

function keyOf(method: string, detail: string | undefined): string {
  return detail === undefined ? method : `${method} ${detail}`
}

/** Caches answers for as long as the server allows, unless a notification makes them outdated (D-42, F9). */
import type { Body } from '../../jsonrpc/index.ts'
import type { Clock } from '../../session/index.ts'

interface CachedAnswer {
  readonly method: string
  /** JSON text: each caller gets its own copy and may change it. */
  readonly text: string
  readonly since: number
  readonly until: number
}

const MAX_ENTRIES = 500
/** The total length of all texts. Entries come from the server and may be long. */
const MAX_LENGTH = 16 * 1024 * 1024

export class ResponseCache {
  readonly #clock: Clock
  readonly #maxEntries: number
  readonly #maxLength: number
  /** Oldest first. */
  readonly #entries = new Map<string, CachedAnswer>()
  /** How often each method became outdated. An answer that was requested before that is not cached. */
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

  /** Whether `get` would return an answer. */
  has(method: string, detail: string | undefined): boolean {
    return this.#fresh(cacheKey(method, detail)) !== undefined
  }

  /** `detail`: the cursor or URI of the request. Any string, even an empty one (D-52). */
  get(method: string, detail: string | undefined): Body | undefined {
    const cached = this.#fresh(cacheKey(method, detail))
    return cached === undefined ? undefined : (JSON.parse(cached.text) as Body)
  }

  /** Call this when the request is sent. The returned function caches the answer, unless it is outdated by then. */
  expect(method: string, detail: string | undefined): (result: Body) => void {
    const epoch = this.#epochOf(method)
    return (result) => {
      const ttl = result['ttlMs']
      if (epoch !== this.#epochOf(method)) return
      const key = cacheKey(method, detail)
      const before = this.#entries.get(key)
      if (before !== undefined) this.#remove(key, before)
      if (typeof ttl !== 'number' || !(ttl > 0)) return
      this.#store(key, method, JSON.stringify(result), ttl)
    }
  }

  /** Grows when answers to the method become outdated. */
  #epochOf(method: string): number {
    return this.#epoch + (this.#epochs.get(method) ?? 0)
  }

  /** Drops all answers to these methods, or only those whose detail `matches`. */
  forget(methods: readonly string[], matches?: (detail: string) => boolean): void {
    for (const method of methods) this.#epochs.set(method, (this.#epochs.get(method) ?? 0) + 1)
    for (const [key, cached] of this.#entries) {
      if (methods.includes(cached.method) && (matches === undefined || matches(key.slice(cached.method.length + 1))))
        this.#remove(key, cached)
    }
  }

  clear(): void {
    this.#epoch++
    this.#entries.clear()
    this.#length = 0
  }

  #fresh(key: string): CachedAnswer | undefined {
    const cached = this.#entries.get(key)
    if (cached === undefined) return undefined
    const now = this.#clock.now()
    // After the clock was set back, the age of the answer is unknown.
    if (now >= cached.since && now < cached.until) return cached
    this.#remove(key, cached)
    return undefined
  }

  #store(key: string, method: string, text: string, ttl: number): void {
    // One answer must not displace all others.
    if (text.length > this.#maxLength / 4) return
    const since = this.#clock.now()
    this.#entries.set(key, { method, text, since, until: since + ttl })
    this.#length += text.length
    for (const [oldest, cached] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#length <= this.#maxLength) return
      this.#remove(oldest, cached)
    }
  }

  #remove(key: string, cached: CachedAnswer): void {
    this.#entries.delete(key)
    this.#length -= cached.text.length
  }
}

function cacheKey(method: string, detail: string | undefined): string {
  return detail === undefined ? method : `${method} ${detail}`
}

/** The servers that list a URI, and the first of them in the configuration. */

/** Further URIs of a server are published in the form that contains the server. */
const MAX_PER_SERVER = 100_000

export class UriOwners {
  readonly #ranks: ReadonlyMap<string, number>
  readonly #byKey = new Map<string, Set<string>>()
  readonly #byServer = new Map<string, Set<string>>()
  #changes = 0

  constructor(ranks: ReadonlyMap<string, number>) {
    this.#ranks = ranks
  }

  /** The number of added and removed URIs. While it stays the same, no URI changes its owner. */
  get changes(): number {
    return this.#changes
  }

  replace(server: string, keys: Iterable<string>): void {
    const now = new Set(keys)
    for (const key of this.#byServer.get(server) ?? []) if (!now.has(key)) this.#remove(server, key)
    this.add(server, now)
  }

  add(server: string, keys: Iterable<string>): void {
    const kept = this.#byServer.get(server) ?? new Set<string>()
    for (const key of keys) {
      if (kept.has(key)) continue
      if (kept.size >= MAX_PER_SERVER) break
      kept.add(key)
      this.#changes++
      const owners = this.#byKey.get(key)
      if (owners === undefined) this.#byKey.set(key, new Set([server]))
      else owners.add(server)
    }
    if (kept.size > 0) this.#byServer.set(server, kept)
  }

  first(key: string): string | undefined {
    let first: string | undefined
    for (const server of this.#byKey.get(key) ?? [])
      if (first === undefined || this.#rank(server) < this.#rank(first)) first = server
    return first
  }

  all(key: string): Iterable<string> {
    return this.#byKey.get(key) ?? []
  }

  #rank(server: string): number {
    return this.#ranks.get(server) ?? Number.POSITIVE_INFINITY
  }

  #remove(server: string, key: string): void {
    this.#changes++
    const kept = this.#byServer.get(server)
    kept?.delete(key)
    if (kept?.size === 0) this.#byServer.delete(server)
    const owners = this.#byKey.get(key)
    owners?.delete(server)
    if (owners?.size === 0) this.#byKey.delete(key)
  }
}

/** Which servers list a URI, and who of them comes first. */

/** Most entries that are kept of one server; what goes beyond has to be published in a form that needs no table. */
const MAX_PER_SERVER = 100_000

export class UriOwners {
  readonly #ranks: ReadonlyMap<string, number>
  readonly #byKey = new Map<string, Set<string>>()
  readonly #byServer = new Map<string, Set<string>>()

  constructor(ranks: ReadonlyMap<string, number>) {
    this.#ranks = ranks
  }

  replace(server: string, keys: Iterable<string>): void {
    for (const key of this.#byServer.get(server) ?? []) this.#remove(server, key)
    this.#byServer.delete(server)
    this.add(server, keys)
  }

  add(server: string, keys: Iterable<string>): void {
    const kept = this.#byServer.get(server) ?? new Set<string>()
    for (const key of keys) {
      if (kept.size >= MAX_PER_SERVER) break
      kept.add(key)
      const owners = this.#byKey.get(key)
      if (owners === undefined) this.#byKey.set(key, new Set([server]))
      else owners.add(server)
    }
    if (kept.size > 0) this.#byServer.set(server, kept)
  }

  first(key: string): string | undefined {
    let first: string | undefined
    for (const server of this.#byKey.get(key) ?? []) if (first === undefined || this.#rank(server) < this.#rank(first)) first = server
    return first
  }

  #rank(server: string): number {
    return this.#ranks.get(server) ?? Number.POSITIVE_INFINITY
  }

  #remove(server: string, key: string): void {
    const owners = this.#byKey.get(key)
    owners?.delete(server)
    if (owners?.size === 0) this.#byKey.delete(key)
  }
}

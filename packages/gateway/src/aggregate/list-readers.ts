/**
 * Identities of clients that may see their own version of a server's lists, because of the capabilities they declare.
 * Pages of a list are remembered for each identity.
 */
import type { Inbound } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import { abilitiesOf, handleIn, NO_ABILITIES } from '../upstream/index.ts'

/** Of one server. The longest unused is forgotten first, with its remembered pages. */
const MAX_READERS = 100

export class ListReaders {
  readonly #readers = new WeakMap<Upstream, Map<string, object>>()

  /** By reader: the generation of the list of tools that was read. */
  readonly #tools = new WeakMap<object, number>()

  /**
   * The same object for requests of one client, and for anonymous clients that declare the same. `undefined` for clients
   * that declare nothing.
   */
  of(upstream: Upstream, inbound: Inbound): object | undefined {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    if (abilities.declaration === NO_ABILITIES) return undefined
    const key = JSON.stringify([inbound.principal ?? null, handleIn(inbound) ?? null, abilities.key])
    const readers = this.#readers.get(upstream) ?? new Map<string, object>()
    this.#readers.set(upstream, readers)
    const reader = readers.get(key) ?? {}
    readers.delete(key)
    readers.set(key, reader)
    const [oldest] = readers.keys()
    if (readers.size > MAX_READERS && oldest !== undefined) readers.delete(oldest)
    return reader
  }

  /** Whether the client's own list of tools is unread, or has changed since it was read. */
  lacksTools(upstream: Upstream, inbound: Inbound): boolean {
    const reader = this.of(upstream, inbound)
    return reader !== undefined && this.#tools.get(reader) !== upstream.tools.generation
  }

  hasTools(upstream: Upstream, inbound: Inbound, generation: number): void {
    const reader = this.of(upstream, inbound)
    if (reader !== undefined) this.#tools.set(reader, generation)
  }
}

/**
 * Who reads lists of a server that may differ by what a client declares: what is remembered of a list is remembered for
 * its reader.
 */
import type { Inbound } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import { EMPTY_PROFILE, handleIn, profileOf } from '../upstream/index.ts'

/** Of one server. The one unused longest goes first, and with it what was remembered for it. */
const MOST = 100

export class ListReaders {
  readonly #readers = new WeakMap<ServedUpstream, Map<string, object>>()

  /** By reader: the generation of the list of tools that was read. */
  readonly #tools = new WeakMap<object, number>()

  /**
   * The same for requests of one client, and for anonymous clients that declare the same; `undefined` for clients that
   * declare nothing.
   */
  of(served: ServedUpstream, inbound: Inbound): object | undefined {
    const profile = profileOf(inbound.caller.capabilities)
    if (profile.declaration === EMPTY_PROFILE) return undefined
    const key = JSON.stringify([inbound.principal ?? null, handleIn(inbound) ?? null, profile.key])
    const readers = this.#readers.get(served) ?? new Map<string, object>()
    this.#readers.set(served, readers)
    const reader = readers.get(key) ?? {}
    readers.delete(key)
    readers.set(key, reader)
    const [oldest] = readers.keys()
    if (readers.size > MOST && oldest !== undefined) readers.delete(oldest)
    return reader
  }

  /** Whether the client's own list of tools was not read yet, or has changed since. */
  lacksTools(served: ServedUpstream, inbound: Inbound): boolean {
    const reader = this.of(served, inbound)
    return reader !== undefined && this.#tools.get(reader) !== served.upstream.tools.generation
  }

  hasTools(served: ServedUpstream, inbound: Inbound, generation: number): void {
    const reader = this.of(served, inbound)
    if (reader !== undefined) this.#tools.set(reader, generation)
  }
}

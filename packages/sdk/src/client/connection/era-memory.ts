/** What was found out about the era of servers, so that nobody has to find it out twice (V4). */
import type { Era } from '../../versions/index.ts'

/**
 * By address: origin and path. One of your own can outlive the process; what it says is only believed until a server
 * contradicts it.
 */
export interface EraMemory {
  get(address: string): Era | undefined
  set(address: string, era: Era): void
}

/** Forgets first what was asked for least recently. */
export class RecentEras implements EraMemory {
  readonly #eras = new Map<string, Era>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(address: string): Era | undefined {
    const era = this.#eras.get(address)
    if (era !== undefined) this.set(address, era)
    return era
  }

  set(address: string, era: Era): void {
    this.#eras.delete(address)
    this.#eras.set(address, era)
    const oldest = this.#eras.size > this.#most ? this.#eras.keys().next().value : undefined
    if (oldest !== undefined) this.#eras.delete(oldest)
  }
}

/** Shared by all connections of this process that bring none of their own. */
const known: EraMemory = new RecentEras(1000)

/** What is known of one server. */
export interface KnownEra {
  get(): Era | undefined
  set(era: Era): void
}

/**
 * Addresses are remembered beyond the connection; commands and functions may lead somewhere else each time somebody
 * connects, unless who connects has a memory for them.
 */
export function knownEra(address: string | undefined, memory?: EraMemory): KnownEra {
  const eras = memory ?? (address === undefined ? new RecentEras(1) : known)
  const key = address ?? ''
  return { get: () => eras.get(key), set: (era) => eras.set(key, era) }
}

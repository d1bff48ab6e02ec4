/** Remembers the era of servers, so that clients need not find it out again (V4). */
import type { Era } from '../../versions/index.ts'

/**
 * The era by address: origin and path. Your own memory can outlive the process. A wrong entry is corrected when a
 * server contradicts it.
 */
export interface EraMemory {
  get(address: string): Era | undefined
  set(address: string, era: Era): void
}

/** Drops the least recently used entry first. */
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

/** Shared by all connections of this process without their own memory. */
const sharedEras: EraMemory = new RecentEras(1000)

/** The remembered era of one server. */
export interface KnownEra {
  get(): Era | undefined
  set(era: Era): void
}

/**
 * Addresses are remembered beyond the connection. Commands and functions are not: they may lead to another server each
 * time. A memory of the caller's own remembers both.
 */
export function knownEra(address: string | undefined, memory?: EraMemory): KnownEra {
  const eras = memory ?? (address === undefined ? new RecentEras(1) : sharedEras)
  const key = address ?? ''
  return { get: () => eras.get(key), set: (era) => eras.set(key, era) }
}

/** Reads the resources of all servers to find one that no server has listed yet. Calls at the same time share a reading. */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import { RESOURCE_METHODS, type ResourceMethod } from './unread-servers.ts'

/** By server: its lists that were not read to their end. */
export type UnreadLists = Map<string, Set<ResourceMethod>>

export interface ResourceDiscoveryOptions {
  readonly clock: Clock
  /** How long a call waits, and how long a reading is not repeated, in milliseconds. */
  readonly deadline: number
  /** The servers that may have resources. */
  readonly servers: () => readonly Upstream[]
  readonly readAll: (method: ResourceMethod) => Promise<void>
  /** A list was read, or its time is over. */
  readonly markRead: (upstream: Upstream, method: ResourceMethod) => void
}

interface Reading {
  readonly unread: UnreadLists
  done: Promise<unknown>
  /** The time of its end. */
  over: number
}

export class ResourceDiscovery {
  readonly #options: ResourceDiscoveryOptions
  #reading: Reading | undefined
  /** Callbacks of calls that wait for a resource to be listed. */
  readonly #waiting = new Set<() => void>()

  constructor(options: ResourceDiscoveryOptions) {
    this.#options = options
  }

  /** Resolves when the resource is `found`, all servers were read, or the time is over. */
  async discover(found: (unread: UnreadLists) => boolean): Promise<void> {
    const { clock, deadline } = this.#options
    if (this.#reading === undefined || clock.now() - this.#reading.over >= deadline) this.#reading = this.#begin()
    const { done, unread } = this.#reading
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stop()
        this.#waiting.delete(look)
        resolve()
      }
      const look = (): void => {
        if (found(unread)) end()
      }
      const stop = clock.after(deadline, end)
      this.#waiting.add(look)
      void done.then(end)
    })
  }

  /** What was read may not be complete any more. */
  reset(): void {
    this.#reading = undefined
  }

  /** A list was read, or cannot be read now. */
  wasRead(server: string, method: string): void {
    const unread = this.#reading?.unread
    const lists = unread?.get(server)
    if (lists?.delete(method as ResourceMethod) && lists.size === 0) unread?.delete(server)
    for (const look of [...this.#waiting]) look()
  }

  #begin(): Reading {
    const { clock, servers, readAll, markRead } = this.#options
    const asked = servers()
    const unread: UnreadLists = new Map(asked.map(({ name }) => [name, new Set(RESOURCE_METHODS)]))
    const reading: Reading = { unread, done: Promise.resolve(), over: Number.POSITIVE_INFINITY }
    // Set before the first request: servers may answer at once.
    this.#reading = reading
    reading.done = Promise.allSettled(RESOURCE_METHODS.map(readAll)).then(() => {
      reading.over = clock.now()
      for (const upstream of asked) for (const method of RESOURCE_METHODS) markRead(upstream, method)
    })
    return reading
  }
}

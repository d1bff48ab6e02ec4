/**
 * Servers that have not said yet which resources they have: until they have, or had their chance, nobody after them can
 * say what is its own.
 */
import type { Clock } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import type { Grace } from './grace.ts'
import type { ListMethod } from './lists.ts'
import type { Offers } from './offers.ts'

export type ResourceMethod = Extract<ListMethod, `resources/${string}`>

export const RESOURCE_METHODS: readonly ResourceMethod[] = ['resources/list', 'resources/templates/list']

export interface StrangersOptions {
  readonly offers: Offers
  readonly grace: Grace
  readonly clock: Clock
  /** How long each of them may delay others, in milliseconds, and that once. */
  readonly deadline: number
  /** Reads the whole of a list. */
  readonly read: (method: ResourceMethod, served: ServedUpstream) => Promise<void>
}

export class Strangers {
  readonly #options: StrangersOptions
  /**
   * By server: its lists that nobody has read, and those being read. Empty as soon as all are known, so that finding
   * one's way costs nothing.
   */
  readonly #unread = new Map<ServedUpstream, Map<ResourceMethod, Promise<void> | undefined>>()
  #servers: ReadonlySet<ServedUpstream> = new Set()

  constructor(options: StrangersOptions) {
    this.#options = options
  }

  setServers(servers: readonly ServedUpstream[]): void {
    const now = new Set(servers)
    for (const served of this.#unread.keys()) if (!now.has(served)) this.#unread.delete(served)
    for (const served of now)
      if (!this.#servers.has(served))
        this.#unread.set(served, new Map(RESOURCE_METHODS.map((method) => [method, undefined])))
    this.#servers = now
  }

  /** It has given this list, or was waited for in vain. */
  met(served: ServedUpstream, method: ResourceMethod): void {
    const lists = this.#unread.get(served)
    lists?.delete(method)
    if (lists?.size === 0) this.#unread.delete(served)
  }

  /** Those in front of a server have had their chance with this list. */
  metBefore(server: string, method: ResourceMethod): void {
    for (const served of this.#before(server)) this.met(served, method)
  }

  /** Begins to read this list of all that have somebody after them. */
  begin(method: ResourceMethod): void {
    const last = [...this.#servers].at(-1)
    if (this.#unread.size > 0 && last !== undefined)
      for (const served of this.#before(last.upstream.name)) void this.#reading(served, method)
  }

  /** Resolves when nobody in front of the server can turn out to offer what it offers. */
  async knownBefore(server: string): Promise<void> {
    if (this.#unread.size === 0) return
    const readings = this.#before(server).flatMap((served) =>
      RESOURCE_METHODS.map((method) => this.#reading(served, method)),
    )
    await Promise.all(readings)
  }

  /**
   * Resolves when all that were reached, or those up to a server and with it, have said what they have. Who was not has
   * its time later.
   */
  async reachedUpTo(server: string | undefined): Promise<void> {
    if (this.#unread.size === 0) return
    const reached = [...this.#unread.keys()].filter(
      ({ upstream }) =>
        upstream.introduction !== undefined &&
        (server === undefined || !this.#options.offers.comesBefore(server, upstream.name)),
    )
    await Promise.all(reached.flatMap((served) => RESOURCE_METHODS.map((method) => this.#reading(served, method))))
  }

  #before(server: string): ServedUpstream[] {
    const { offers, grace } = this.#options
    const before: ServedUpstream[] = []
    for (const served of this.#unread.keys()) {
      const { name, introduction } = served.upstream
      if (introduction !== undefined && !Object.hasOwn(introduction.capabilities, 'resources'))
        this.#unread.delete(served)
      // Nobody waits for one that was not reached; when it comes, it is asked.
      else if ((introduction !== undefined || !grace.isOver(served)) && offers.comesBefore(name, server))
        before.push(served)
    }
    return before
  }

  #reading(served: ServedUpstream, method: ResourceMethod): Promise<void> | undefined {
    const lists = this.#unread.get(served)
    if (lists?.has(method) !== true) return undefined
    const reading = lists.get(method) ?? this.#read(served, method)
    // It may have been over at once.
    if (lists.has(method)) lists.set(method, reading)
    return reading
  }

  #read(served: ServedUpstream, method: ResourceMethod): Promise<void> {
    const { clock, deadline, grace, read } = this.#options
    return new Promise((resolve) => {
      const end = (): void => {
        stop()
        this.met(served, method)
        resolve()
      }
      const stop = clock.after(deadline, end)
      read(method, served).then(end, end)
      grace.overFor(served)?.then(() => served.upstream.introduction ?? end())
    })
  }
}

/**
 * Servers that have not listed their resources yet. Of several servers with one URI the first in the configuration keeps
 * it, so a server waits until those before it have listed theirs, or their time is over.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import type { ListMethod } from './lists.ts'
import type { NameIndex } from './name-index.ts'
import type { StartupWait } from './startup-wait.ts'

export type ResourceMethod = Extract<ListMethod, `resources/${string}`>

export const RESOURCE_METHODS: readonly ResourceMethod[] = ['resources/list', 'resources/templates/list']

export interface UnreadServersOptions {
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly clock: Clock
  /** How long each server may delay others, in milliseconds. It delays them once. */
  readonly deadline: number
  /** Reads the whole of a list. */
  readonly read: (method: ResourceMethod, upstream: Upstream) => Promise<void>
}

export class UnreadServers {
  readonly #options: UnreadServersOptions
  /**
   * By server: its unread lists, and the promise of those being read. Empty once all are known, so that routing costs
   * nothing.
   */
  readonly #unread = new Map<Upstream, Map<ResourceMethod, Promise<void> | undefined>>()
  #servers: ReadonlySet<Upstream> = new Set()

  constructor(options: UnreadServersOptions) {
    this.#options = options
  }

  setServers(servers: readonly Upstream[]): void {
    const now = new Set(servers)
    for (const upstream of this.#unread.keys()) if (!now.has(upstream)) this.#unread.delete(upstream)
    for (const upstream of now)
      if (!this.#servers.has(upstream))
        this.#unread.set(upstream, new Map(RESOURCE_METHODS.map((method) => [method, undefined])))
    this.#servers = now
  }

  /** The server has given this list, or its time is over. */
  markRead(upstream: Upstream, method: ResourceMethod): void {
    const lists = this.#unread.get(upstream)
    lists?.delete(method)
    if (lists?.size === 0) this.#unread.delete(upstream)
  }

  /** The servers before this one have given the list, or their time is over. */
  markReadBefore(server: string, method: ResourceMethod): void {
    for (const upstream of this.#before(server)) this.markRead(upstream, method)
  }

  /** Begins to read this list of all servers but the last. */
  begin(method: ResourceMethod): void {
    const last = [...this.#servers].at(-1)
    if (this.#unread.size > 0 && last !== undefined)
      for (const upstream of this.#before(last.name)) void this.#reading(upstream, method)
  }

  /** Resolves when the resources of all servers before this one are known, or their time is over. */
  async waitForServersBefore(server: string): Promise<void> {
    if (this.#unread.size === 0) return
    const readings = this.#before(server).flatMap((upstream) =>
      RESOURCE_METHODS.map((method) => this.#reading(upstream, method)),
    )
    await Promise.all(readings)
  }

  /**
   * Resolves when the reached servers have listed their resources: all of them, or those up to and with `last`. Servers
   * that were not reached have their time later.
   */
  async waitForReached(last?: string): Promise<void> {
    if (this.#unread.size === 0) return
    const reached = [...this.#unread.keys()].filter(
      ({ name, introduction }) =>
        introduction !== undefined && (last === undefined || !this.#options.nameIndex.comesBefore(last, name)),
    )
    await Promise.all(reached.flatMap((upstream) => RESOURCE_METHODS.map((method) => this.#reading(upstream, method))))
  }

  #before(server: string): Upstream[] {
    const { nameIndex, startupWait } = this.#options
    const before: Upstream[] = []
    for (const upstream of this.#unread.keys()) {
      const { name, introduction } = upstream
      if (introduction !== undefined && !Object.hasOwn(introduction.capabilities, 'resources'))
        this.#unread.delete(upstream)
      // A server that was not reached in time delays no client. It is read when it comes.
      else if ((introduction !== undefined || !startupWait.isOver(upstream)) && nameIndex.comesBefore(name, server))
        before.push(upstream)
    }
    return before
  }

  #reading(upstream: Upstream, method: ResourceMethod): Promise<void> | undefined {
    const lists = this.#unread.get(upstream)
    if (lists?.has(method) !== true) return undefined
    const reading = lists.get(method) ?? this.#read(upstream, method)
    // The reading may have ended at once.
    if (lists.has(method)) lists.set(method, reading)
    return reading
  }

  #read(upstream: Upstream, method: ResourceMethod): Promise<void> {
    const { clock, deadline, startupWait, read } = this.#options
    return new Promise((resolve) => {
      const end = (): void => {
        stop()
        this.markRead(upstream, method)
        resolve()
      }
      const stop = clock.after(deadline, end)
      read(method, upstream).then(end, end)
      startupWait.overFor(upstream)?.then(() => upstream.introduction ?? end())
    })
  }
}

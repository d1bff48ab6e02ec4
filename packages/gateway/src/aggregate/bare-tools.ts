/**
 * Finds the servers of a tool by its name at the server, without the name of a server. Pages of apps know no other name.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import type { NameIndex } from './name-index.ts'
import type { StartupWait } from './startup-wait.ts'

export interface BareToolsOptions {
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly clock: Clock
  /** How long a call waits for the lists of unread servers, in milliseconds. */
  readonly deadline: number
}

export class BareTools {
  readonly #options: BareToolsOptions
  /**
   * Lists being read. Each promise resolves within the deadline even if the list never comes, so a silent server delays
   * one call only.
   */
  readonly #readings = new WeakMap<Upstream, Promise<void>>()

  constructor(options: BareToolsOptions) {
    this.#options = options
  }

  /**
   * The servers that show clients such a tool. Reads all lists first: the name is only clear if no other server has it.
   */
  async owners(name: string): Promise<Upstream[]> {
    const readings = [...this.#options.nameIndex.servers].flatMap((upstream) => this.#reading(upstream) ?? [])
    if (readings.length > 0) await Promise.all(readings)
    return this.knownOwners(name)
  }

  /** Sends no request. Tools that the settings hide do not count. */
  knownOwners(name: string): Upstream[] {
    return [...this.#options.nameIndex.servers].filter((upstream) => upstream.tools.has(name))
  }

  #reading(upstream: Upstream): Promise<void> | undefined {
    if (upstream.tools.isComplete || upstream.supervisor.unavailable() !== undefined) return undefined
    // A server that was not reached in time has shown no tool to any client, so no call waits for it.
    if (upstream.introduction === undefined && this.#options.startupWait.isOver(upstream)) return undefined
    const begun = this.#readings.get(upstream) ?? this.#read(upstream)
    this.#readings.set(upstream, begun)
    return begun
  }

  #read(upstream: Upstream): Promise<void> {
    const { clock, deadline, startupWait } = this.#options
    return new Promise((resolve) => {
      const stop = clock.after(deadline, resolve)
      const end = (): void => {
        stop()
        this.#readings.delete(upstream)
        resolve()
      }
      upstream.tools.readOnce().then(end, end)
      startupWait.overFor(upstream)?.then(() => upstream.introduction ?? resolve())
    })
  }
}

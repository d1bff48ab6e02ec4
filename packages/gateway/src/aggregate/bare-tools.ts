/**
 * Finds the servers of a tool that is called by its name there, without the name of a server: pages of apps know no
 * other.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import type { NameIndex } from './name-index.ts'
import type { StartupWait } from './startup-wait.ts'

export interface BareToolsOptions {
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly clock: Clock
  /** How long a call waits for the lists of servers that nobody has read yet, in milliseconds. */
  readonly deadline: number
}

export class BareTools {
  readonly #options: BareToolsOptions
  /**
   * Lists that are being read: resolved in time, also when the list never comes. So a silent server delays one call
   * only.
   */
  readonly #readings = new WeakMap<Upstream, Promise<void>>()

  constructor(options: BareToolsOptions) {
    this.#options = options
  }

  /**
   * Those that show clients such a tool. All lists are read first: a name is only clear when no other server has it.
   */
  async owners(name: string): Promise<Upstream[]> {
    const readings = [...this.#options.nameIndex.servers].flatMap((upstream) => this.#reading(upstream) ?? [])
    if (readings.length > 0) await Promise.all(readings)
    return this.knownOwners(name)
  }

  /** Without asking any server. Tools that the settings hide are nobody's. */
  knownOwners(name: string): Upstream[] {
    return [...this.#options.nameIndex.servers].filter((upstream) => upstream.tools.has(name))
  }

  #reading(upstream: Upstream): Promise<void> | undefined {
    if (upstream.tools.isComplete || upstream.supervisor.unavailable() !== undefined) return undefined
    // One that had its chance to be reached and was not has shown nobody a tool: no call waits for it.
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

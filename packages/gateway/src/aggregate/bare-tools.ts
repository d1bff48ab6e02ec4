/**
 * Finds the servers of a tool that is called by its name there, without the name of a server: pages of apps know no
 * other.
 */
import type { Clock } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import type { Grace } from './grace.ts'
import type { Offers } from './offers.ts'

export interface BareToolsOptions {
  readonly offers: Offers
  readonly grace: Grace
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
  readonly #readings = new WeakMap<ServedUpstream, Promise<void>>()

  constructor(options: BareToolsOptions) {
    this.#options = options
  }

  /**
   * Those that show clients such a tool. All lists are read first: a name is only clear when no other server has it.
   */
  async owners(name: string): Promise<ServedUpstream[]> {
    const readings = [...this.#options.offers.servers].flatMap((served) => this.#reading(served) ?? [])
    if (readings.length > 0) await Promise.all(readings)
    return this.knownOwners(name)
  }

  /** Without asking any server. Tools that the settings hide are nobody's. */
  knownOwners(name: string): ServedUpstream[] {
    return [...this.#options.offers.servers].filter(({ upstream }) => upstream.tools.has(name))
  }

  #reading(served: ServedUpstream): Promise<void> | undefined {
    const { upstream } = served
    if (upstream.tools.isComplete || upstream.supervisor.unavailable() !== undefined) return undefined
    // One that had its chance to be reached and was not has shown nobody a tool: no call waits for it.
    if (upstream.introduction === undefined && this.#options.grace.isOver(served)) return undefined
    const begun = this.#readings.get(served) ?? this.#read(served)
    this.#readings.set(served, begun)
    return begun
  }

  #read(served: ServedUpstream): Promise<void> {
    const { clock, deadline, grace } = this.#options
    return new Promise((resolve) => {
      const stop = clock.after(deadline, resolve)
      const end = (): void => {
        stop()
        this.#readings.delete(served)
        resolve()
      }
      served.upstream.tools.seen().then(end, end)
      grace.overFor(served)?.then(() => served.upstream.introduction ?? resolve())
    })
  }
}

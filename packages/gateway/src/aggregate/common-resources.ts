/**
 * The resources that servers show to all clients, for a server that shows one client a list of its own. They decide which
 * server has a URI.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import { RESOURCE_METHODS, type ResourceMethod } from './unread-servers.ts'

export interface CommonResourcesOptions {
  readonly clock: Clock
  /** How long a server may take, in milliseconds. */
  readonly deadline: number
  /** Reads a whole list, as all clients see it. */
  readonly read: (method: ResourceMethod, upstream: Upstream) => Promise<void>
}

export class CommonResources {
  readonly #options: CommonResourcesOptions
  /** Lists that were read since the last change, or are being read. */
  #readings = new WeakMap<Upstream, Promise<void>>()

  constructor(options: CommonResourcesOptions) {
    this.#options = options
  }

  /** The lists may not be complete any more. */
  changed(): void {
    this.#readings = new WeakMap()
  }

  /** Resolves when they are known, or the time of the server is over. */
  known(upstream: Upstream): Promise<void> {
    const readings = this.#readings
    let reading = readings.get(upstream)
    if (reading === undefined) {
      reading = this.#read(upstream, () => readings.delete(upstream))
      readings.set(upstream, reading)
    }
    return reading
  }

  #read(upstream: Upstream, onFailed: () => void): Promise<void> {
    const { clock, deadline, read } = this.#options
    return new Promise((resolve) => {
      const stop = clock.after(deadline, resolve)
      const end = (): void => {
        stop()
        resolve()
      }
      Promise.all(RESOURCE_METHODS.map((method) => read(method, upstream)))
        .catch(onFailed)
        .then(end)
    })
  }
}

/**
 * Which resources servers show everybody, where somebody is shown others: by that it is told what one client alone is
 * shown.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'
import { RESOURCE_METHODS, type ResourceMethod } from './unread-servers.ts'

export interface CommonResourcesOptions {
  readonly clock: Clock
  /** How long a server may take, in milliseconds. */
  readonly deadline: number
  /** Reads the whole of a list, as everybody is shown it. */
  readonly read: (method: ResourceMethod, upstream: Upstream) => Promise<void>
}

export class CommonResources {
  readonly #options: CommonResourcesOptions
  /** Read since they last changed, or being read. */
  #readings = new WeakMap<Upstream, Promise<void>>()

  constructor(options: CommonResourcesOptions) {
    this.#options = options
  }

  /** What was read may not be all any more. */
  changed(): void {
    this.#readings = new WeakMap()
  }

  /** Kept when they are known, or the server has had its time. */
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

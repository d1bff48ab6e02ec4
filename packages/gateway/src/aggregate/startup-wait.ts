/**
 * How long clients wait for servers that were not reached since the gateway was started, so that their first lists are
 * not empty. Each server delays clients once, for a short time, and so does a server that replaces another. A server that
 * comes later, or was added later, delays no client: it is announced as a change.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'

const STARTUP_WAIT_MS = 3000

interface WaitTime {
  readonly over: Promise<void>
  end(): void
}

export class StartupWait {
  readonly #clock: Clock
  /** Servers that all clients wait for. The time begins with the first client. */
  readonly #eager = new Map<Upstream, WaitTime | undefined>()
  /** Lazy servers: only requests for their lists wait. */
  readonly #lazy = new Set<Upstream>()
  /** `undefined` before the first configuration. */
  #servers: ReadonlySet<Upstream> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  setServers(servers: readonly Upstream[]): void {
    const now = new Set(servers)
    const before = this.#servers
    const names = before && new Set([...before].map(({ name }) => name))
    for (const upstream of now)
      if (names === undefined || (names.has(upstream.name) && before?.has(upstream) === false)) this.#begin(upstream)
    for (const gone of before ?? []) if (!now.has(gone)) this.end(gone)
    this.#servers = now
  }

  /** Resolves when each server was reached or its time is over. `undefined` if there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    if (this.#eager.size === 0) return undefined
    const times = [...this.#eager.keys()].flatMap((upstream) => this.#timeOf(upstream) ?? [])
    return times.length === 0 ? undefined : Promise.all(times.map(({ over }) => over)).then(() => undefined)
  }

  /** The same for one server. */
  overFor(upstream: Upstream): Promise<void> | undefined {
    return this.#eager.has(upstream) ? this.#timeOf(upstream)?.over : undefined
  }

  /** Whether clients do not wait for it any more. */
  isOver(upstream: Upstream): boolean {
    return !this.#eager.has(upstream) && !this.#lazy.has(upstream)
  }

  end(upstream: Upstream): void {
    this.#lazy.delete(upstream)
    const time = this.#eager.get(upstream)
    this.#eager.delete(upstream)
    time?.end()
  }

  #begin(upstream: Upstream): void {
    if (upstream.config.lazy) this.#lazy.add(upstream)
    else this.#eager.set(upstream, undefined)
  }

  #timeOf(upstream: Upstream): WaitTime | undefined {
    const begun = this.#eager.get(upstream)
    if (begun !== undefined) return begun
    const reached = upstream.ready()
    if (reached === undefined) {
      this.#eager.delete(upstream)
      return undefined
    }
    let resolve: () => void = () => {}
    const over = new Promise<void>((done) => {
      resolve = done
    })
    const stop = this.#clock.after(STARTUP_WAIT_MS, () => this.end(upstream))
    const time: WaitTime = {
      over,
      end: () => {
        stop()
        resolve()
      },
    }
    this.#eager.set(upstream, time)
    const end = (): void => this.end(upstream)
    reached.then(end, end)
    return time
  }
}

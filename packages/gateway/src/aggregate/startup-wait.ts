/**
 * How long clients wait for servers that nobody has reached since the gateway was started, so that what they are first
 * shown is not empty: each server delays once, and not for long, and so does one that comes in the place of another.
 * What comes later is told as a change, and so are servers that are added later: who is there already waits for nobody
 * new.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'

/** In milliseconds. */
const STARTUP_WAIT_MS = 3000

interface Chance {
  readonly over: Promise<void>
  end(): void
}

export class StartupWait {
  readonly #clock: Clock
  /** Servers that clients wait for when they come; a chance begins with the first client. */
  readonly #eager = new Map<Upstream, Chance | undefined>()
  /** Servers that only those wait for who need their lists. */
  readonly #lazy = new Set<Upstream>()
  /** `undefined` until the first are known. */
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

  /** Resolves when every server was reached or has had its chance; `undefined` when there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    if (this.#eager.size === 0) return undefined
    const chances = [...this.#eager.keys()].flatMap((upstream) => this.#chanceOf(upstream) ?? [])
    return chances.length === 0 ? undefined : Promise.all(chances.map(({ over }) => over)).then(() => undefined)
  }

  /** The same for one server, for who cannot do without knowing it. */
  overFor(upstream: Upstream): Promise<void> | undefined {
    return this.#eager.has(upstream) ? this.#chanceOf(upstream)?.over : undefined
  }

  /** Whether nobody waits for it any more. */
  isOver(upstream: Upstream): boolean {
    return !this.#eager.has(upstream) && !this.#lazy.has(upstream)
  }

  end(upstream: Upstream): void {
    this.#lazy.delete(upstream)
    const chance = this.#eager.get(upstream)
    this.#eager.delete(upstream)
    chance?.end()
  }

  #begin(upstream: Upstream): void {
    if (upstream.config.lazy) this.#lazy.add(upstream)
    else this.#eager.set(upstream, undefined)
  }

  #chanceOf(upstream: Upstream): Chance | undefined {
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
    const chance: Chance = {
      over,
      end: () => {
        stop()
        resolve()
      },
    }
    this.#eager.set(upstream, chance)
    const end = (): void => this.end(upstream)
    reached.then(end, end)
    return chance
  }
}

/**
 * How long clients wait for servers that nobody has reached since the gateway was started, so that what they are first
 * shown is not empty: each server delays once, and not for long, and so does one that comes in the place of another.
 * What comes later is told as a change, and so are servers that are added later: who is there already waits for nobody
 * new.
 */
import type { Clock } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'

/** In milliseconds. */
const GRACE = 3000

interface Chance {
  readonly over: Promise<void>
  end(): void
}

export class Grace {
  readonly #clock: Clock
  /** Servers that clients wait for when they come; a chance begins with the first client. */
  readonly #eager = new Map<ServedUpstream, Chance | undefined>()
  /** Servers that only those wait for who need their lists. */
  readonly #lazy = new Set<ServedUpstream>()
  /** `undefined` until the first are known. */
  #servers: ReadonlySet<ServedUpstream> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  setServers(servers: readonly ServedUpstream[]): void {
    const now = new Set(servers)
    const before = this.#servers
    const names = before && new Set([...before].map(({ upstream }) => upstream.name))
    for (const served of now)
      if (names === undefined || (names.has(served.upstream.name) && before?.has(served) === false)) this.#begin(served)
    for (const gone of before ?? []) if (!now.has(gone)) this.end(gone)
    this.#servers = now
  }

  /** Resolves when every server was reached or has had its chance; `undefined` when there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    if (this.#eager.size === 0) return undefined
    const chances = [...this.#eager.keys()].flatMap((served) => this.#chanceOf(served) ?? [])
    return chances.length === 0 ? undefined : Promise.all(chances.map(({ over }) => over)).then(() => undefined)
  }

  /** The same for one server, for who cannot do without knowing it. */
  overFor(served: ServedUpstream): Promise<void> | undefined {
    return this.#eager.has(served) ? this.#chanceOf(served)?.over : undefined
  }

  /** Whether nobody waits for it any more. */
  isOver(served: ServedUpstream): boolean {
    return !this.#eager.has(served) && !this.#lazy.has(served)
  }

  end(served: ServedUpstream): void {
    this.#lazy.delete(served)
    const chance = this.#eager.get(served)
    this.#eager.delete(served)
    chance?.end()
  }

  #begin(served: ServedUpstream): void {
    if (served.upstream.config.lazy) this.#lazy.add(served)
    else this.#eager.set(served, undefined)
  }

  #chanceOf(served: ServedUpstream): Chance | undefined {
    const begun = this.#eager.get(served)
    if (begun !== undefined) return begun
    const reached = served.upstream.ready()
    if (reached === undefined) {
      this.#eager.delete(served)
      return undefined
    }
    let resolve: () => void = () => {}
    const over = new Promise<void>((done) => {
      resolve = done
    })
    const stop = this.#clock.after(GRACE, () => this.end(served))
    const chance: Chance = {
      over,
      end: () => {
        stop()
        resolve()
      },
    }
    this.#eager.set(served, chance)
    const end = (): void => this.end(served)
    reached.then(end, end)
    return chance
  }
}

/** What is at each path of a site, and what was there before, for as long as it still has sessions. */
import type { Exchange } from '../transport/index.ts'
import type { Mount } from './site.ts'

/** What is at a path. */
export interface Station {
  readonly mount: Mount
  /** The longest body that is read. */
  readonly maxBytes: number
}

/** The time that some mounts are there. */
export interface Stay {
  /** They stay for what belongs to their own sessions; their paths are free for others. */
  leave(): void
  end(): void
}

interface Place {
  station: Station
  leaving: boolean
  /** Those in whose place it came, newest first. */
  former: readonly Station[]
}

export class Stations {
  readonly #places = new Map<string, Place>()

  /** All of them, or none. */
  mount(mounts: readonly (readonly [path: string, mount: Mount])[], maxBytes: number): Stay {
    const seen = new Set<string>()
    for (const [path] of mounts) {
      if (!path.startsWith('/')) throw new TypeError(`A path begins with a slash: ${JSON.stringify(path)}`)
      if (this.#places.get(path)?.leaving === false || seen.has(path)) throw new TypeError(`Path ${path} is taken`)
      seen.add(path)
    }
    for (const [path, mount] of mounts) {
      const before = this.#places.get(path)
      this.#places.set(path, {
        station: { mount, maxBytes },
        leaving: false,
        former: before === undefined ? [] : [before.station, ...before.former],
      })
    }
    return {
      leave: () => {
        for (const [path, mount] of mounts) this.#leave(path, mount)
      },
      end: () => {
        for (const [path, mount] of mounts) this.#end(path, mount)
      },
    }
  }

  /** What is there now. */
  at(path: string): Station | undefined {
    return this.#places.get(path)?.station
  }

  /** Whom an exchange is for. */
  for(exchange: Exchange): Station | undefined {
    const place = this.#places.get(exchange.path)
    if (place === undefined || place.former.length === 0) return place?.station
    return place.former.find(({ mount }) => mount.owns?.(exchange) === true) ?? place.station
  }

  /** Also those that have lost their place. */
  all(): readonly Station[] {
    return [...this.#places.values()].flatMap(({ station, former }) => [station, ...former])
  }

  /** The paths whose mount is of that kind. */
  pathsOf(isOne: (mount: Mount) => boolean): readonly string[] {
    return [...this.#places].flatMap(([path, { station }]) => (isOne(station.mount) ? [path] : []))
  }

  #leave(path: string, mount: Mount): void {
    const place = this.#places.get(path)
    if (place?.station.mount === mount) place.leaving = true
  }

  #end(path: string, mount: Mount): void {
    const place = this.#places.get(path)
    if (place === undefined) return
    if (place.station.mount !== mount) {
      place.former = place.former.filter((each) => each.mount !== mount)
      return
    }
    const [before, ...former] = place.former
    if (before === undefined) this.#places.delete(path)
    else this.#places.set(path, { station: before, leaving: true, former })
  }
}

/** The mount at each path of a site, and former mounts while they still have sessions. */
import type { Exchange } from '../../transport/index.ts'
import type { Mount } from './site.ts'

/** The mount of a path. */
export interface SiteRoute {
  readonly mount: Mount
  /** The longest body to read. */
  readonly maxBytes: number
}

/** The registration of some mounts. */
export interface RouteRegistration {
  /** Frees the paths for other mounts. These mounts still get the requests of their own sessions. */
  release(): void
  remove(): void
}

interface PathEntry {
  route: SiteRoute
  isReleased: boolean
  /** The routes that it replaced, newest first. */
  former: readonly SiteRoute[]
}

export class SiteRoutes {
  readonly #entries = new Map<string, PathEntry>()

  /** Registers all of them, or throws and registers none. */
  mount(mounts: readonly (readonly [path: string, mount: Mount])[], maxBytes: number): RouteRegistration {
    const seen = new Set<string>()
    for (const [path] of mounts) {
      if (!path.startsWith('/')) throw new TypeError(`A path begins with a slash: ${JSON.stringify(path)}`)
      if (this.#entries.get(path)?.isReleased === false || seen.has(path)) throw new TypeError(`Path ${path} is taken`)
      seen.add(path)
    }
    for (const [path, mount] of mounts) {
      const before = this.#entries.get(path)
      this.#entries.set(path, {
        route: { mount, maxBytes },
        isReleased: false,
        former: before === undefined ? [] : [before.route, ...before.former],
      })
    }
    return {
      release: () => {
        for (const [path, mount] of mounts) this.#release(path, mount)
      },
      remove: () => {
        for (const [path, mount] of mounts) this.#remove(path, mount)
      },
    }
  }

  /** The current route of a path. */
  at(path: string): SiteRoute | undefined {
    return this.#entries.get(path)?.route
  }

  /** The route of an exchange: a former one if the request belongs to its sessions. */
  for(exchange: Exchange): SiteRoute | undefined {
    const entry = this.#entries.get(exchange.path)
    if (entry === undefined || entry.former.length === 0) return entry?.route
    return entry.former.find(({ mount }) => mount.owns?.(exchange) === true) ?? entry.route
  }

  /** All routes, former ones too. */
  all(): readonly SiteRoute[] {
    return [...this.#entries.values()].flatMap(({ route, former }) => [route, ...former])
  }

  /** The paths of all mounts of this kind. */
  pathsOf(isOne: (mount: Mount) => boolean): readonly string[] {
    return [...this.#entries].flatMap(([path, { route }]) => (isOne(route.mount) ? [path] : []))
  }

  #release(path: string, mount: Mount): void {
    const entry = this.#entries.get(path)
    if (entry?.route.mount === mount) entry.isReleased = true
  }

  #remove(path: string, mount: Mount): void {
    const entry = this.#entries.get(path)
    if (entry === undefined) return
    if (entry.route.mount !== mount) {
      entry.former = entry.former.filter((each) => each.mount !== mount)
      return
    }
    const [before, ...former] = entry.former
    if (before === undefined) this.#entries.delete(path)
    else this.#entries.set(path, { route: before, isReleased: true, former })
  }
}

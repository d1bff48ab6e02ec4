/**
 * The resources one client follows, each at the server whose it is now: servers come, go and change places, and one
 * that is slow or gone keeps no other waiting.
 */
import { declares, ParleyError } from 'parley-mcp'
import type { Hold, ServedUpstream } from '../bridge/index.ts'
import type { Route } from './directory.ts'
import type { Whole } from './whole.ts'

/** How the client follows a resource at one server, and is told of it. */
export interface Follower {
  /** `told`: of each URI at the server that has changed, that of the resource or one below it. */
  follow(route: Route, told: (own: string) => void): Promise<Hold>
  /** By a URI the client knows. */
  updated(uri: string): void
}

interface Following extends Route {
  readonly hold: Hold
}

interface Wish {
  /** Absent while it is followed nowhere: its server may come back. */
  following: Following | undefined
  beginning: Promise<void> | undefined
  /** Since that began, servers or what they offer have changed. */
  isOvertaken: boolean
  /** Who was asked last. */
  asked: ServedUpstream | undefined
  /** Called once, when it is not wanted any more. */
  readonly onEnd: () => void
}

const NOTHING = (): void => {}

export class Followed {
  readonly #follower: Follower
  readonly #whole: Whole
  /** By the URI the client gave. */
  readonly #wishes = new Map<string, Wish>()

  constructor(follower: Follower, whole: Whole) {
    this.#follower = follower
    this.#whole = whole
  }

  /**
   * Resolves when it is followed. What cannot be is not wanted any more, unless it was before. `onEnd` is called once,
   * when it is not wanted any more.
   */
  async add(uri: string, onEnd = NOTHING): Promise<void> {
    const known = this.#wishes.get(uri)
    if (known !== undefined) onEnd()
    const wish = known ?? { following: undefined, beginning: undefined, isOvertaken: false, asked: undefined, onEnd }
    this.#wishes.set(uri, wish)
    try {
      if (wish.following === undefined) await this.#begin(uri, wish)
    } catch (error) {
      if (known === undefined && this.#isWanted(uri, wish)) this.#forget(uri)
      throw error
    }
  }

  async remove(uri: string): Promise<void> {
    await this.#forget(uri)?.following?.hold.stop()
  }

  /**
   * Servers, or what they offer, are others now: what is not followed where it belongs is from now on, and may have
   * changed meanwhile.
   */
  renew(): void {
    if (this.#wishes.size === 0) return
    for (const [uri, wish] of this.#wishes) if (wish.following === undefined) void this.#find(uri, wish)
    this.move()
    void this.#meetServers().then(() => this.move())
  }

  /** To where it is now what has been followed elsewhere. */
  move(): void {
    for (const [uri, wish] of this.#wishes) {
      const { following } = wish
      if (following === undefined || this.#isInPlace(uri, following)) continue
      wish.following = undefined
      following.hold.stop().catch(() => {})
      void this.#find(uri, wish)
    }
  }

  end(): void {
    for (const uri of [...this.#wishes.keys()]) {
      this.#forget(uri)
        ?.following?.hold.stop()
        .catch(() => {})
    }
  }

  #forget(uri: string): Wish | undefined {
    const wish = this.#wishes.get(uri)
    this.#wishes.delete(uri)
    wish?.onEnd()
    return wish
  }

  #isWanted(uri: string, wish: Wish): boolean {
    return this.#wishes.get(uri) === wish
  }

  /** As far as it is known whose it is: who has yet to say what it offers takes nothing away. */
  #isInPlace(uri: string, { served, own, hold }: Following): boolean {
    const { offers } = this.#whole
    const { name } = served.upstream
    if (offers.server(name) !== served || !hold.isHeld()) return false
    const route = offers.route(uri)
    return route === undefined || (route.server === name && route.uri === own)
  }

  /**
   * Those that have come may turn out to offer what is followed at others, or not to offer what those before them did.
   */
  async #meetServers(): Promise<void> {
    const servers = new Set(
      [...this.#wishes.values()].flatMap(({ following }) => following?.served.upstream.name ?? []),
    )
    await Promise.all([...servers].map((server) => this.#whole.lists.reachedUpTo(server)))
  }

  async #find(uri: string, wish: Wish): Promise<void> {
    if (wish.beginning !== undefined) {
      wish.isOvertaken = true
      return
    }
    try {
      await this.#begin(uri, wish)
      if (this.#isWanted(uri, wish)) this.#follower.updated(uri)
    } catch (error) {
      // Whose it is may come back, or take it then.
      if (this.#isWanted(uri, wish) && wish.asked !== undefined) this.#whole.unfollowed.say(wish.asked, uri, error)
    }
  }

  #begin(uri: string, wish: Wish): Promise<void> {
    wish.beginning ??= this.#follow(uri, wish).finally(() => {
      wish.beginning = undefined
    })
    return wish.beginning
  }

  /** Once more when that was overtaken. */
  async #follow(uri: string, wish: Wish): Promise<void> {
    while (this.#isWanted(uri, wish) && wish.following === undefined) {
      wish.isOvertaken = false
      wish.asked = undefined
      try {
        const following = await this.#followOnce(uri, wish)
        if (this.#isWanted(uri, wish) && this.#isInPlace(uri, following)) wish.following = following
        else following.hold.stop().catch(() => {})
      } catch (error) {
        if (!wish.isOvertaken || !this.#isWanted(uri, wish)) throw error
      }
    }
  }

  async #followOnce(uri: string, wish: Wish): Promise<Following> {
    const { directory, offers } = this.#whole
    const route = await directory.resource(uri)
    const { served, own } = route
    // Why it cannot be reached is said elsewhere.
    served.upstream.demandUp()
    await served.upstream.ready()
    wish.asked = served
    demandNews(served)
    const hold = await this.#follower.follow(route, (changed) => {
      if (this.#isWanted(uri, wish))
        this.#follower.updated(changed === own ? uri : offers.publicUri(served.upstream.name, changed))
    })
    return { ...route, hold }
  }
}

/** Nobody is asked for what it does not have. */
function demandNews({ upstream: { name, introduction } }: ServedUpstream): void {
  if (declares(introduction?.capabilities, 'resources.subscribe')) return
  throw new ParleyError('capability_not_supported', {
    message: `Server "${name}" does not tell of changes of resources`,
    data: { server: name },
  })
}

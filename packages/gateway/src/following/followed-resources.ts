/**
 * The resources one client follows, each at the server whose it is now: servers come, go and change places, and one
 * that is slow or gone keeps no other waiting.
 */
import { declares, ParleyError } from 'parley-mcp'
import type { AggregateState, Route } from '../aggregate/index.ts'
import type { Upstream } from '../upstream/index.ts'
import type { Hold } from './subscriptions.ts'
import type { UnfollowedLog } from './unfollowed-log.ts'

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
  asked: Upstream | undefined
  /** Called once, when it is not wanted any more. */
  readonly onEnd: () => void
}

const NOTHING = (): void => {}

export class FollowedResources {
  readonly #follower: Follower
  readonly #state: AggregateState
  readonly #unfollowed: UnfollowedLog
  /** By the URI the client gave. */
  readonly #wishes = new Map<string, Wish>()

  constructor(follower: Follower, state: AggregateState, unfollowed: UnfollowedLog) {
    this.#unfollowed = unfollowed
    this.#follower = follower
    this.#state = state
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
  #isInPlace(uri: string, { upstream, own, hold }: Following): boolean {
    const { nameIndex } = this.#state
    const { name } = upstream
    if (nameIndex.server(name) !== upstream || !hold.isHeld()) return false
    const route = nameIndex.route(uri)
    return route === undefined || (route.server === name && route.uri === own)
  }

  /**
   * Those that have come may turn out to offer what is followed at others, or not to offer what those before them did.
   */
  async #meetServers(): Promise<void> {
    const servers = new Set([...this.#wishes.values()].flatMap(({ following }) => following?.upstream.name ?? []))
    await Promise.all([...servers].map((server) => this.#state.lists.reachedUpTo(server)))
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
      if (this.#isWanted(uri, wish) && wish.asked !== undefined) this.#unfollowed.say(wish.asked, uri, error)
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
    const { directory, nameIndex } = this.#state
    const route = await directory.resource(uri)
    const { upstream, own } = route
    // Why it cannot be reached is said elsewhere.
    upstream.demandUp()
    await upstream.ready()
    wish.asked = upstream
    demandNews(upstream)
    const hold = await this.#follower.follow(route, (changed) => {
      if (this.#isWanted(uri, wish))
        this.#follower.updated(changed === own ? uri : nameIndex.publicUri(upstream.name, changed))
    })
    return { ...route, hold }
  }
}

/** Nobody is asked for what it does not have. */
function demandNews({ name, introduction }: Upstream): void {
  if (declares(introduction?.capabilities, 'resources.subscribe')) return
  throw new ParleyError('capability_not_supported', {
    message: `Server "${name}" does not tell of changes of resources`,
    data: { server: name },
  })
}

/**
 * The resources one client follows, each at the server whose it is now: servers come, go and change places, and one
 * that is slow or gone keeps no other waiting.
 */
import { declares, ParleyError } from 'parley-mcp'
import type { AggregateState, Route } from '../aggregate/index.ts'
import type { Upstream } from '../upstream/index.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { UnfollowedLog } from './unfollowed-log.ts'

/** How the client follows a resource at one server, and is told of it. */
export interface Follower {
  /** `told`: of each URI at the server that has changed, that of the resource or one below it. */
  follow(route: Route, told: (uri: string) => void): Promise<ActiveSubscription>
  /** By a URI the client knows. */
  updated(uri: string): void
}

interface Following extends Route {
  readonly subscription: ActiveSubscription
}

interface WantedResource {
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
  readonly #wanted = new Map<string, WantedResource>()

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
    const known = this.#wanted.get(uri)
    if (known !== undefined) onEnd()
    const wanted = known ?? { following: undefined, beginning: undefined, isOvertaken: false, asked: undefined, onEnd }
    this.#wanted.set(uri, wanted)
    try {
      if (wanted.following === undefined) await this.#begin(uri, wanted)
    } catch (error) {
      if (known === undefined && this.#isWanted(uri, wanted)) this.#forget(uri)
      throw error
    }
  }

  async remove(uri: string): Promise<void> {
    await this.#forget(uri)?.following?.subscription.stop()
  }

  /**
   * Servers, or what they offer, are others now: what is not followed where it belongs is from now on, and may have
   * changed meanwhile.
   */
  renew(): void {
    if (this.#wanted.size === 0) return
    for (const [uri, wanted] of this.#wanted) if (wanted.following === undefined) void this.#find(uri, wanted)
    this.move()
    void this.#meetServers().then(() => this.move())
  }

  /** To where it is now what has been followed elsewhere. */
  move(): void {
    for (const [uri, wanted] of this.#wanted) {
      const { following } = wanted
      if (following === undefined || this.#isInPlace(uri, following)) continue
      wanted.following = undefined
      following.subscription.stop().catch(() => {})
      void this.#find(uri, wanted)
    }
  }

  end(): void {
    for (const uri of [...this.#wanted.keys()]) {
      this.#forget(uri)
        ?.following?.subscription.stop()
        .catch(() => {})
    }
  }

  #forget(uri: string): WantedResource | undefined {
    const wanted = this.#wanted.get(uri)
    this.#wanted.delete(uri)
    wanted?.onEnd()
    return wanted
  }

  #isWanted(uri: string, wanted: WantedResource): boolean {
    return this.#wanted.get(uri) === wanted
  }

  /** As far as it is known whose it is: who has yet to say what it offers takes nothing away. */
  #isInPlace(uri: string, { upstream, nameAtServer, subscription }: Following): boolean {
    const { nameIndex } = this.#state
    const { name } = upstream
    if (nameIndex.server(name) !== upstream || !subscription.isActive()) return false
    const route = nameIndex.route(uri)
    return route === undefined || (route.server === name && route.uri === nameAtServer)
  }

  /**
   * Those that have come may turn out to offer what is followed at others, or not to offer what those before them did.
   */
  async #meetServers(): Promise<void> {
    const servers = new Set([...this.#wanted.values()].flatMap(({ following }) => following?.upstream.name ?? []))
    await Promise.all([...servers].map((server) => this.#state.lists.waitForReached(server)))
  }

  async #find(uri: string, wanted: WantedResource): Promise<void> {
    if (wanted.beginning !== undefined) {
      wanted.isOvertaken = true
      return
    }
    try {
      await this.#begin(uri, wanted)
      if (this.#isWanted(uri, wanted)) this.#follower.updated(uri)
    } catch (error) {
      // Whose it is may come back, or take it then.
      if (this.#isWanted(uri, wanted) && wanted.asked !== undefined) this.#unfollowed.say(wanted.asked, uri, error)
    }
  }

  #begin(uri: string, wanted: WantedResource): Promise<void> {
    wanted.beginning ??= this.#follow(uri, wanted).finally(() => {
      wanted.beginning = undefined
    })
    return wanted.beginning
  }

  /** Once more when that was overtaken. */
  async #follow(uri: string, wanted: WantedResource): Promise<void> {
    while (this.#isWanted(uri, wanted) && wanted.following === undefined) {
      wanted.isOvertaken = false
      wanted.asked = undefined
      try {
        const following = await this.#followOnce(uri, wanted)
        if (this.#isWanted(uri, wanted) && this.#isInPlace(uri, following)) wanted.following = following
        else following.subscription.stop().catch(() => {})
      } catch (error) {
        if (!wanted.isOvertaken || !this.#isWanted(uri, wanted)) throw error
      }
    }
  }

  async #followOnce(uri: string, wanted: WantedResource): Promise<Following> {
    const { directory, nameIndex } = this.#state
    const route = await directory.resource(uri)
    const { upstream, nameAtServer } = route
    // Why it cannot be reached is said elsewhere.
    upstream.demandUp()
    await upstream.ready()
    wanted.asked = upstream
    demandSubscribe(upstream)
    const subscription = await this.#follower.follow(route, (changed) => {
      if (this.#isWanted(uri, wanted))
        this.#follower.updated(changed === nameAtServer ? uri : nameIndex.publicUri(upstream.name, changed))
    })
    return { ...route, subscription }
  }
}

/** Nobody is asked for what it does not have. */
function demandSubscribe({ name, introduction }: Upstream): void {
  if (declares(introduction?.capabilities, 'resources.subscribe')) return
  throw new ParleyError('capability_not_supported', {
    message: `Server "${name}" does not tell of changes of resources`,
    data: { server: name },
  })
}

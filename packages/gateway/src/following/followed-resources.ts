/**
 * The resources that one client follows, each at the server that offers it now. Servers come, go and change their order.
 * A slow or missing server delays no other.
 */
import { declares, ParleyError } from 'parley-mcp'
import type { AggregateState, Route } from '../aggregate/index.ts'
import type { Upstream } from '../upstream/index.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { UnfollowedLog } from './unfollowed-log.ts'

/** Subscribes to a resource at one server, and notifies the client. */
export interface Follower {
  /** `told`: called with each changed URI at the server: the resource itself or one below it. */
  follow(route: Route, told: (uri: string) => void): Promise<ActiveSubscription>
  /** `uri`: as the client knows it. */
  updated(uri: string): void
}

interface Following extends Route {
  readonly subscription: ActiveSubscription
}

interface WantedResource {
  /** Absent while no server has it. Its server may come back. */
  following: Following | undefined
  beginning: Promise<void> | undefined
  /** Servers or their lists changed after `beginning` was set. */
  isOvertaken: boolean
  /** The server that got the last request. */
  asked: Upstream | undefined
  /** Called once, when the client does not want it any more. */
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
   * Resolves when the resource is followed. A new resource that cannot be followed is dropped. `onEnd` is called once,
   * when the client does not want it any more.
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
   * Servers or their lists have changed. Follows each resource at the server that offers it now, and tells the client
   * that it may have changed.
   */
  renew(): void {
    if (this.#wanted.size === 0) return
    for (const [uri, wanted] of this.#wanted) if (wanted.following === undefined) void this.#find(uri, wanted)
    this.move()
    void this.#meetServers().then(() => this.move())
  }

  /** Moves subscriptions to the servers that offer the resources now. */
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

  /** Whether the subscription is at the right server, as far as known. An unread server changes nothing. */
  #isInPlace(uri: string, { upstream, nameAtServer, subscription }: Following): boolean {
    const { nameIndex } = this.#state
    const { name } = upstream
    if (nameIndex.server(name) !== upstream || !subscription.isActive()) return false
    const route = nameIndex.route(uri)
    return route === undefined || (route.server === name && route.uri === nameAtServer)
  }

  /**
   * Waits for the lists of new servers: they may offer resources that are followed elsewhere, or not offer them any
   * more.
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
      // The server may come back, or accept it later.
      if (this.#isWanted(uri, wanted) && wanted.asked !== undefined) this.#unfollowed.say(wanted.asked, uri, error)
    }
  }

  #begin(uri: string, wanted: WantedResource): Promise<void> {
    wanted.beginning ??= this.#follow(uri, wanted).finally(() => {
      wanted.beginning = undefined
    })
    return wanted.beginning
  }

  /** Tries again if servers changed meanwhile. */
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
    // Not logged by `find`, because the supervisor logs why a server cannot be reached: `asked` is set later.
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

/** Throws if the server does not offer subscriptions. */
function demandSubscribe({ name, introduction }: Upstream): void {
  if (declares(introduction?.capabilities, 'resources.subscribe')) return
  throw new ParleyError('capability_not_supported', {
    message: `Server "${name}" does not report changes of resources`,
    data: { server: name },
  })
}

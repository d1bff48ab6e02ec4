/**
 * Tells clients of all servers that a list, a resource or the state of a server has changed. Changes of one kind within
 * a short time become one notification, however many servers changed.
 */
import {
  type Body,
  type Clock,
  costOfTexts,
  declaresExtension,
  extensionMissing,
  type Inbound,
  type Session,
  TASKS_EXTENSION,
} from 'parley-mcp/engine'
import type { AggregateState } from '../aggregate/index.ts'
import { STATUS_URI } from '../calls/index.ts'
import type { ListKind, Upstream } from '../upstream/index.ts'
import { FollowedResources, type Follower } from './followed-resources.ts'
import { ListInterest } from './list-interest.ts'
import { LIST_FIELDS, LIST_KINDS, stringsIn, wantedIn } from './listen-request.ts'
import { ListenerSources, type TaskFollower } from './listener-sources.ts'
import { ListenerStream } from './listener-stream.ts'
import { UnfollowedLog } from './unfollowed-log.ts'

/** M6: the time in which changes of one kind become one notification. */
const THROTTLE_MS = 100

interface Listener {
  readonly kinds: ReadonlySet<ListKind>
  readonly sources: ListenerSources
  /** Set if it listens to lists. */
  readonly listChanges: ClientListChanges | undefined
}

/** A client with a session. */
interface SessionListener {
  readonly followed: FollowedResources
  /** Ends its interest in lists. */
  readonly stopInterest: () => void
}

/** A change that is not told yet, for the clients in `only` or for all. */
interface PendingChange {
  readonly stop: () => void
  only: Set<Session | ListenerStream> | undefined
}

export class AggregateListeners {
  readonly #clock: Clock
  readonly #state: AggregateState
  readonly #sessions = new Map<Session, SessionListener>()
  readonly #listeners = new Map<ListenerStream, Listener>()
  readonly #ending = new WeakSet<Session>()
  readonly #statusObservers = new Set<() => void>()
  readonly #servers = new Map<Upstream, () => void>()
  readonly #due = new Map<ListKind, PendingChange>()
  readonly #interest = new ListInterest()
  readonly #tasksOf: (upstream: Upstream) => TaskFollower
  readonly #unfollowed: UnfollowedLog
  #statusDue: (() => void) | undefined
  #moveDue: (() => void) | undefined

  /** `tasksOf`: returns the follower of tasks at one server. */
  constructor(state: AggregateState, tasksOf: (upstream: Upstream) => TaskFollower) {
    this.#state = state
    this.#clock = state.clock
    this.#tasksOf = tasksOf
    this.#unfollowed = new UnfollowedLog(state.log, state.nameIndex)
  }

  /** For the resources that one client will follow. */
  resourcesFor(follower: Follower): FollowedResources {
    return new FollowedResources(follower, this.#state, this.#unfollowed)
  }

  /** From now on clients are told of changes at these servers, and at no others. */
  follow(servers: readonly Upstream[]): void {
    const wanted = new Set(servers)
    for (const [upstream, stop] of this.#servers) {
      if (wanted.has(upstream)) continue
      stop()
      this.#servers.delete(upstream)
    }
    for (const upstream of wanted) if (!this.#servers.has(upstream)) this.#servers.set(upstream, this.#watch(upstream))
    for (const { listChanges } of this.#listeners.values()) listChanges?.setServers(wanted)
  }

  add(session: Session, followed: FollowedResources): void {
    this.#sessions.set(session, { followed, stopInterest: this.#interest.want(LIST_KINDS) })
  }

  remove(session: Session): void {
    this.#sessions.get(session)?.stopInterest()
    this.#sessions.delete(session)
    this.endAll(session)
  }

  onStatus(observer: () => void): () => void {
    this.#statusObservers.add(observer)
    return () => this.#statusObservers.delete(observer)
  }

  /**
   * `client`: the one whose own conversation with a server has shown the change. Default: all clients. Also tells
   * the last change of a burst.
   */
  changed(kind: ListKind, client?: Session | ListenerStream): void {
    if (kind === 'resources') this.#state.lists.resourcesChanged()
    if (this.#sessions.size + this.#listeners.size === 0) return
    const due = this.#due.get(kind)
    if (due === undefined) {
      const stop = this.#clock.after(THROTTLE_MS, () => this.#tell(kind))
      this.#due.set(kind, { stop, only: client && new Set([client]) })
    } else if (client === undefined) due.only = undefined
    else due.only?.add(client)
  }

  /** Servers were added, removed or replaced. */
  allChanged(): void {
    for (const followed of this.#followed()) followed.renew()
    for (const kind of LIST_KINDS) this.changed(kind)
    this.#statusChanged()
  }

  /** A list has shown that a URI belongs to another server now. Subscriptions move there. */
  urisMoved(): void {
    if (this.#sessions.size + this.#listeners.size === 0) return
    this.#moveDue ??= this.#clock.after(THROTTLE_MS, () => {
      this.#moveDue = undefined
      for (const followed of this.#followed()) followed.move()
    })
  }

  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const stream of [...this.#listeners.keys()])
      if (session === undefined || stream.inbound.session === session) stream.end()
  }

  close(): void {
    this.endAll()
    this.follow([])
    for (const { stop } of this.#due.values()) stop()
    this.#due.clear()
    this.#statusDue?.()
    this.#moveDue?.()
  }

  async listen(inbound: Inbound): Promise<Body> {
    const wanted = wantedIn(inbound, this.#listeners.size)
    const kinds = new Set(LIST_KINDS.filter((kind) => wanted[LIST_FIELDS[kind]] === true))
    const filter: Body = Object.fromEntries([...kinds].map((kind) => [LIST_FIELDS[kind], true]))
    const stream = new ListenerStream(inbound)
    const sources = new ListenerSources(stream, this.#state, (sources) => this.resourcesFor(sources), this.#tasksOf)
    const listChanges =
      kinds.size === 0
        ? undefined
        : new ClientListChanges(inbound, (kind) => kinds.has(kind) && this.changed(kind, stream))
    const undo = [() => sources.end(), () => listChanges?.end(), this.#interest.want(kinds)]
    try {
      const uris = stringsIn(wanted, 'resourceSubscriptions')
      const taskIds = stringsIn(wanted, 'taskIds')
      if (taskIds !== undefined && !declaresExtension(inbound.caller.capabilities, TASKS_EXTENSION))
        throw extensionMissing(TASKS_EXTENSION)
      undo.push(inbound.keep(costOfTexts([...(uris ?? []), ...(taskIds ?? [])]), 'a listener'))
      const [following, tasks] = await Promise.all([
        uris && this.#follow(stream, sources, uris, undo),
        taskIds && sources.addTasks(taskIds),
      ])
      if (following !== undefined) filter['resourceSubscriptions'] = following
      if (tasks !== undefined) filter['taskIds'] = tasks
      this.#listeners.set(stream, { kinds, sources, listChanges })
      listChanges?.setServers(this.#servers.keys())
      return await stream.untilEnd(filter, {
        over: this.#ending.has(inbound.session),
        onEnd: () => this.#listeners.delete(stream),
      })
    } finally {
      for (const each of undo) each()
    }
  }

  #watch(upstream: Upstream): () => void {
    const stops = [
      upstream.onListChanged((kind) => this.changed(kind)),
      upstream.supervisor.onStatus(() => this.#statusChanged()),
      this.#interest.add(upstream),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Leaves out resources that cannot be followed. The client sees that in the acknowledgement. */
  async #follow(
    stream: ListenerStream,
    sources: ListenerSources,
    uris: readonly string[],
    undo: (() => void)[],
  ): Promise<string[]> {
    const taken = await Promise.all(
      uris.map(async (uri) => {
        if (uri !== STATUS_URI) return sources.addResource(uri)
        undo.push(this.onStatus(() => stream.tell('notifications/resources/updated', { uri })))
        return true
      }),
    )
    return uris.filter((_, at) => taken[at])
  }

  #tell(kind: ListKind): void {
    const only = this.#due.get(kind)?.only
    this.#due.delete(kind)
    const notice = `notifications/${kind}/list_changed`
    for (const session of this.#sessions.keys()) if (only === undefined || only.has(session)) session.notify(notice)
    if (kind === 'resources' && only === undefined) for (const followed of this.#followed()) followed.renew()
    for (const [stream, { kinds }] of this.#listeners)
      if (kinds.has(kind) && (only === undefined || only.has(stream))) stream.inbound.notify(notice)
  }

  /** Of all clients. */
  *#followed(): Iterable<FollowedResources> {
    for (const { followed } of this.#sessions.values()) yield followed
    for (const { sources } of this.#listeners.values()) yield sources.resources
  }

  #statusChanged(): void {
    if (this.#statusObservers.size === 0) return
    this.#statusDue ??= this.#clock.after(THROTTLE_MS, () => {
      this.#statusDue = undefined
      for (const observer of [...this.#statusObservers]) observer()
    })
  }
}

/** Follows list changes in the conversations that each server keeps for one listener. */
class ClientListChanges {
  readonly #inbound: Inbound
  readonly #told: (kind: ListKind) => void
  readonly #following = new Map<Upstream, () => void>()

  constructor(inbound: Inbound, told: (kind: ListKind) => void) {
    this.#inbound = inbound
    this.#told = told
  }

  setServers(servers: Iterable<Upstream>): void {
    const wanted = new Set(servers)
    for (const [upstream, stop] of this.#following) {
      if (wanted.has(upstream)) continue
      stop()
      this.#following.delete(upstream)
    }
    for (const upstream of wanted)
      if (!this.#following.has(upstream))
        this.#following.set(upstream, upstream.pool.followKept(this.#inbound, this.#told))
  }

  end(): void {
    this.setServers([])
  }
}

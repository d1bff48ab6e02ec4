/** The resources and tasks that one listener follows, at any of the servers. A slow or missing server delays no other. */
import type { Body, Clock, Inbound } from 'parley-mcp/engine'
import { type AggregateState, LIST_DEADLINE_MS, NameRewriter, type Route } from '../aggregate/index.ts'
import type { FollowedTasks } from '../calls/index.ts'
import type { Conversation, Upstream } from '../upstream/index.ts'
import type { FollowedResources, Follower } from './followed-resources.ts'
import type { ListenerStream } from './listener-stream.ts'
import type { ActiveSubscription } from './subscriptions.ts'

/** Follows the tasks of one server. */
export interface TaskFollower {
  followTasks(
    inbound: Inbound,
    conversation: Conversation,
    taskIds: readonly string[],
    tell: (task: Body) => void,
  ): Promise<FollowedTasks>
}

export class ListenerSources implements Follower {
  readonly resources: FollowedResources
  readonly #stream: ListenerStream
  readonly #state: AggregateState
  readonly #clock: Clock
  readonly #tasksOf: (upstream: Upstream) => TaskFollower
  readonly #tasks: (() => void)[] = []
  #ended = false

  constructor(
    stream: ListenerStream,
    state: AggregateState,
    resourcesFor: (follower: Follower) => FollowedResources,
    tasksOf: (upstream: Upstream) => TaskFollower,
  ) {
    this.#stream = stream
    this.#state = state
    this.#clock = state.clock
    this.resources = resourcesFor(this)
    this.#tasksOf = tasksOf
  }

  /** Resolves to whether the resource is followed now. */
  async addResource(uri: string): Promise<boolean> {
    const isFollowed = await this.#inTime(this.resources.add(uri).then(() => true))
    if (isFollowed === undefined) this.resources.remove(uri).catch(() => {})
    return isFollowed === true
  }

  /** Resolves to the followed tasks, by the ids that the listener knows. */
  async addTasks(taskIds: readonly string[]): Promise<string[]> {
    const byServer = new Map<Upstream, string[]>()
    for (const taskId of taskIds) {
      const route = this.#state.directory.findTask(taskId)
      if (route !== undefined)
        byServer.set(route.upstream, [...(byServer.get(route.upstream) ?? []), route.nameAtServer])
    }
    const followed = await Promise.all([...byServer].map(([upstream, ids]) => this.#followTasks(upstream, ids)))
    const known = new Set(followed.flat())
    return taskIds.filter((taskId) => known.has(taskId))
  }

  end(): void {
    this.#ended = true
    this.resources.end()
    for (const stop of this.#tasks.splice(0)) stop()
  }

  async follow({ upstream, nameAtServer }: Route, told: (uri: string) => void): Promise<ActiveSubscription> {
    const { conversation, release } = await conversationFor(upstream, this.#stream.inbound)
    try {
      const subscription = await conversation.subscribe(nameAtServer, (changed) => {
        upstream.resultCache.updated(changed)
        told(changed)
      })
      return { isActive: () => conversation.open, stop: () => subscription.unsubscribe().finally(release) }
    } catch (error) {
      release()
      throw error
    }
  }

  updated(uri: string): void {
    this.#stream.tell('notifications/resources/updated', { uri })
  }

  async #followTasks(upstream: Upstream, taskIds: readonly string[]): Promise<string[]> {
    const beginning = this.#beginTasks(upstream, taskIds)
    const followed = await this.#inTime(beginning)
    if (followed === undefined || this.#ended) {
      beginning.then(({ stop }) => stop()).catch(() => {})
      return []
    }
    this.#tasks.push(followed.stop)
    return followed.taskIds.map((taskId) => this.#state.tasks.publicId(upstream.name, taskId))
  }

  async #beginTasks(
    upstream: Upstream,
    taskIds: readonly string[],
  ): Promise<{ taskIds: readonly string[]; stop: () => void }> {
    const names = new NameRewriter(upstream.name, this.#state.nameIndex, this.#state.tasks)
    const tell = (task: Body): void => this.#stream.tell('notifications/tasks', names.result('tasks/get', task))
    const { conversation, release } = await conversationFor(upstream, this.#stream.inbound)
    try {
      const { inbound } = this.#stream
      const followed = await this.#tasksOf(upstream).followTasks(inbound, conversation, taskIds, tell)
      const stop = (): void => {
        followed.stop()
        release()
      }
      return { taskIds: followed.taskIds, stop }
    } catch (error) {
      release()
      throw error
    }
  }

  /** `undefined` when it fails or takes too long. */
  #inTime<T>(beginning: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const stop = this.#clock.after(LIST_DEADLINE_MS, () => resolve(undefined))
      const settle = (begun?: T): void => {
        stop()
        resolve(begun)
      }
      beginning.then(settle, () => settle())
    })
  }
}

/** The conversation kept for the client if there is one, else the gateway's own. */
async function conversationFor(
  upstream: Upstream,
  inbound: Inbound,
): Promise<{ conversation: Conversation; release: () => void }> {
  upstream.demandUp()
  const gateway = await upstream.gatewayConversation()
  const lease = gateway.stateless ? undefined : await upstream.pool.lend(inbound)
  const conversation = lease?.conversation ?? gateway
  const endUse = conversation.use()
  const release = (): void => {
    endUse()
    lease?.release()
  }
  return { conversation, release }
}

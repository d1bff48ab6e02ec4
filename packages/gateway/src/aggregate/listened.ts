/**
 * The resources and tasks one listener is told of, at whichever servers they are: one that is slow or gone keeps the
 * others waiting for nothing.
 */
import type { Body, Clock, Inbound } from 'parley-mcp/engine'
import type { Hold, News, ServedUpstream } from '../bridge/index.ts'
import type { Line } from '../upstream/index.ts'
import type { Route } from './directory.ts'
import { Followed, type Follower } from './followed.ts'
import { DEADLINE } from './lists.ts'
import type { Whole } from './whole.ts'
import { Words } from './words.ts'

export class Listened implements Follower {
  readonly resources: Followed
  readonly #news: News
  readonly #whole: Whole
  readonly #clock: Clock
  readonly #tasks: (() => void)[] = []
  #ended = false

  constructor(news: News, whole: Whole) {
    this.#news = news
    this.#whole = whole
    this.#clock = whole.clock
    this.resources = new Followed(this, whole)
  }

  /** Whether it is followed now. */
  async addResource(uri: string): Promise<boolean> {
    const isFollowed = await this.#inTime(this.resources.add(uri).then(() => true))
    if (isFollowed === undefined) this.resources.remove(uri).catch(() => {})
    return isFollowed === true
  }

  /** Those of the tasks that are followed now, by the ids the listener knows. */
  async addTasks(taskIds: readonly string[]): Promise<string[]> {
    const byServer = new Map<ServedUpstream, string[]>()
    for (const taskId of taskIds) {
      const route = this.#whole.directory.findTask(taskId)
      if (route !== undefined) byServer.set(route.served, [...(byServer.get(route.served) ?? []), route.own])
    }
    const followed = await Promise.all([...byServer].map(([served, own]) => this.#followTasks(served, own)))
    const known = new Set(followed.flat())
    return taskIds.filter((taskId) => known.has(taskId))
  }

  end(): void {
    this.#ended = true
    this.resources.end()
    for (const stop of this.#tasks.splice(0)) stop()
  }

  async follow({ served, own }: Route, told: (own: string) => void): Promise<Hold> {
    const { line, release } = await lineFor(served, this.#news.inbound)
    try {
      const subscription = await line.subscribe(own, (changed) => {
        served.upstream.shelf.updated(changed)
        told(changed)
      })
      return { isHeld: () => line.open, stop: () => subscription.unsubscribe().finally(release) }
    } catch (error) {
      release()
      throw error
    }
  }

  updated(uri: string): void {
    this.#news.tell('notifications/resources/updated', { uri })
  }

  async #followTasks(served: ServedUpstream, own: readonly string[]): Promise<string[]> {
    const beginning = this.#beginTasks(served, own)
    const followed = await this.#inTime(beginning)
    if (followed === undefined || this.#ended) {
      beginning.then(({ stop }) => stop()).catch(() => {})
      return []
    }
    this.#tasks.push(followed.stop)
    return followed.taskIds.map((taskId) => this.#whole.tasks.publicId(served.upstream.name, taskId))
  }

  async #beginTasks(
    served: ServedUpstream,
    own: readonly string[],
  ): Promise<{ taskIds: readonly string[]; stop: () => void }> {
    const words = new Words(served.upstream.name, this.#whole.offers, this.#whole.tasks)
    const tell = (task: Body): void => this.#news.tell('notifications/tasks', words.result('tasks/get', task))
    const { line, release } = await lineFor(served, this.#news.inbound)
    try {
      const { taskIds, stop } = await served.followTasks(this.#news.inbound, line, own, tell)
      const end = (): void => {
        stop()
        release()
      }
      return { taskIds, stop: end }
    } catch (error) {
      release()
      throw error
    }
  }

  /** `undefined` when it fails or takes too long: then it is left out. */
  #inTime<T>(beginning: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const stop = this.#clock.after(DEADLINE, () => resolve(undefined))
      const settle = (begun?: T): void => {
        stop()
        resolve(begun)
      }
      beginning.then(settle, () => settle())
    })
  }
}

/** Where a conversation is kept for the client, what it follows is what happens there. */
async function lineFor({ upstream }: ServedUpstream, inbound: Inbound): Promise<{ line: Line; release: () => void }> {
  upstream.demandUp()
  const home = await upstream.home()
  const lease = home.stateless ? undefined : await upstream.lines.lend(inbound)
  const line = lease?.line ?? home
  line.users++
  const release = (): void => {
    line.users--
    lease?.release()
  }
  return { line, release }
}

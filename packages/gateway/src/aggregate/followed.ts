/** The resources and tasks one listener follows, at whichever servers they are: one that is slow or gone keeps the others waiting for nothing. */
import type { Body, Clock, Inbound, Subscription } from 'parley-mcp/engine'
import type { News, ServedUpstream } from '../bridge/index.ts'
import type { Line } from '../upstream/index.ts'
import type { Directory, Route } from './directory.ts'
import { DEADLINE } from './lists.ts'
import type { Offers } from './offers.ts'
import type { TaskIds } from './task-ids.ts'
import type { Whole } from './whole.ts'
import { Words } from './words.ts'

const UPDATED = 'notifications/resources/updated'

interface Following extends Route {
  stop(): void
}

export class Followed {
  readonly #news: News
  readonly #directory: Directory
  readonly #offers: Offers
  readonly #taskIds: TaskIds
  readonly #clock: Clock
  /** By the URI the listener gave. */
  readonly #following = new Map<string, Following>()
  /** Acknowledged, and followed nowhere now: their server may come back. */
  readonly #missing = new Set<string>()
  readonly #tasks: (() => void)[] = []
  #ended = false

  constructor(news: News, { directory, offers, tasks, clock }: Whole) {
    this.#news = news
    this.#taskIds = tasks
    this.#directory = directory
    this.#offers = offers
    this.#clock = clock
  }

  /** Whether it is followed now. */
  async add(uri: string): Promise<boolean> {
    const following = await this.#inTime(this.#follow(uri))
    if (following !== undefined) this.#following.set(uri, following)
    return following !== undefined
  }

  /** Those of the tasks that are followed now, by the ids the listener knows. */
  async addTasks(taskIds: readonly string[]): Promise<string[]> {
    const byServer = new Map<ServedUpstream, string[]>()
    for (const taskId of taskIds) {
      const route = this.#directory.findTask(taskId)
      if (route !== undefined) byServer.set(route.served, [...(byServer.get(route.served) ?? []), route.own])
    }
    const followed = await Promise.all([...byServer].map(([served, own]) => this.#followTasks(served, own)))
    const known = new Set(followed.flat())
    return taskIds.filter((taskId) => known.has(taskId))
  }

  /** Servers were replaced, or are others now: what was followed at one is followed at the one whose it is now, and may have changed meanwhile. */
  renew(): void {
    for (const [uri, following] of [...this.#following]) {
      if (this.#isStillThere(uri, following)) continue
      following.stop()
      this.#following.delete(uri)
      this.#missing.add(uri)
    }
    this.findMissing()
  }

  /** Somebody may offer again what nobody did. */
  findMissing(): void {
    for (const uri of [...this.#missing]) void this.#find(uri)
  }

  end(): void {
    this.#ended = true
    this.#missing.clear()
    for (const stop of this.#tasks.splice(0)) stop()
    for (const { stop } of this.#following.values()) stop()
    this.#following.clear()
  }

  /** As far as it is known whose it is: who has yet to say what it offers takes nothing away. */
  #isStillThere(uri: string, { served, own }: Following): boolean {
    const { name } = served.upstream
    if (this.#offers.server(name) !== served) return false
    const route = this.#offers.route(uri)
    return route === undefined || (route.server === name && route.uri === own)
  }

  async #find(uri: string): Promise<void> {
    // Not twice at once.
    this.#missing.delete(uri)
    if (await this.add(uri)) this.#news.tell(UPDATED, { uri })
    else if (!this.#ended) this.#missing.add(uri)
  }

  async #followTasks(served: ServedUpstream, own: readonly string[]): Promise<string[]> {
    const followed = await this.#inTime(this.#beginTasks(served, own))
    if (followed === undefined) return []
    this.#tasks.push(followed.stop)
    return followed.taskIds.map((taskId) => this.#taskIds.publicId(served.upstream.name, taskId))
  }

  async #beginTasks(served: ServedUpstream, own: readonly string[]): Promise<{ taskIds: readonly string[]; stop: () => void }> {
    const words = new Words(served.upstream.name, this.#offers, this.#taskIds)
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

  /** A server that takes too long is left out; what comes then, or when nobody listens any more, is ended at once. */
  #inTime<T extends { stop(): void }>(beginning: Promise<T | undefined>): Promise<T | undefined> {
    return new Promise((resolve) => {
      let isLate = false
      const cancel = this.#clock.after(DEADLINE, () => {
        isLate = true
        resolve(undefined)
      })
      const settle = (begun?: T): void => {
        cancel()
        if (isLate || this.#ended) begun?.stop()
        resolve(this.#ended ? undefined : begun)
      }
      beginning.then(settle, () => settle())
    })
  }

  async #follow(uri: string): Promise<Following | undefined> {
    const route = await this.#directory.resource(uri)
    const { line, release } = await lineFor(route.served, this.#news.inbound)
    try {
      const subscription = await this.#subscribe(uri, route, line)
      if (subscription === undefined) release()
      return (
        subscription && {
          ...route,
          stop: () =>
            void subscription
              .unsubscribe()
              .catch(() => {})
              .finally(release),
        }
      )
    } catch (error) {
      release()
      throw error
    }
  }

  async #subscribe(uri: string, { served, own }: Route, line: Line): Promise<Subscription | undefined> {
    if (!line.client.session.hasPeerCapability('resources.subscribe')) return undefined
    const { name, shelf } = served.upstream
    return line.subscribe(own, (changed) => {
      shelf.updated(changed)
      this.#news.tell(UPDATED, { uri: changed === own ? uri : this.#offers.publicUri(name, changed) })
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

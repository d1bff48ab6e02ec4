/**
 * Answers `subscriptions/listen` for a server of any era: what clients without a session are told of, for as long as
 * they listen (D-19, D-29, D-30).
 */
import { declares, ParleyError } from 'parley-mcp'
import {
  type Body,
  costOfTexts,
  declaresExtension,
  extensionMissing,
  type Inbound,
  isObject,
  type Session,
  type Subscription,
  TASKS_EXTENSION,
} from 'parley-mcp/engine'
import type { TaskRuns } from '../calls/index.ts'
import type { Line, ListKind, Upstream } from '../upstream/index.ts'
import { News } from './news.ts'

const FIELDS: Readonly<Record<ListKind, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}
const KINDS = Object.keys(FIELDS) as ListKind[]
/** Most resources, and most tasks, that one listener may name. */
const MOST_NAMED = 1000
const MOST_LISTENERS = 10_000

export class Listeners {
  readonly #upstream: Upstream
  readonly #tasks: TaskRuns
  readonly #listeners = new Set<News>()
  readonly #ending = new WeakSet<Session>()

  constructor(upstream: Upstream, tasks: TaskRuns) {
    this.#upstream = upstream
    this.#tasks = tasks
  }

  async listen(inbound: Inbound, line: Line): Promise<Body> {
    const wanted = inbound.params['notifications']
    if (!isObject(wanted))
      throw new ParleyError('invalid_params', {
        message: '"notifications" must be an object that says what to listen for',
      })
    if (this.#listeners.size >= MOST_LISTENERS)
      throw new ParleyError('too_many_requests', { message: 'Too many clients listen already' })
    const undo: (() => void)[] = []
    line.users++
    undo.push(() => line.users--)
    const news = new News(inbound)
    try {
      const filter = await this.#begin(news, line, wanted, undo)
      this.#listeners.add(news)
      return await news.untilEnd(filter, {
        over: this.#ending.has(inbound.session),
        onEnd: () => this.#listeners.delete(news),
      })
    } finally {
      for (const each of undo) each()
    }
  }

  /** The server or the session ends: whoever listens there is told so. */
  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const news of [...this.#listeners]) if (session === undefined || news.inbound.session === session) news.end()
  }

  /** Begins to follow what the server can tell of; what was agreed to is the acknowledgement. */
  async #begin(news: News, line: Line, wanted: Body, undo: (() => void)[]): Promise<Body> {
    const { capabilities } = line.introduction
    const filter: Body = {}
    for (const kind of KINDS) {
      const field = FIELDS[kind]
      if (wanted[field] !== true || !declares(capabilities, `${kind}.listChanged`)) continue
      filter[field] = true
      undo.push(line.followList(kind, this.#upstream, () => news.tell(`notifications/${kind}/list_changed`)))
    }
    const uris = wanted['resourceSubscriptions']
    if (uris !== undefined && declares(capabilities, 'resources.subscribe')) {
      const named = stringsIn(wanted, 'resourceSubscriptions')
      undo.push(news.inbound.keep(costOfTexts(named), 'a listener'))
      const taken = await Promise.all(named.map((uri) => this.#subscribe(news, line, uri, undo)))
      filter['resourceSubscriptions'] = taken.filter((uri) => uri !== undefined)
    }
    if (wanted['taskIds'] !== undefined) await this.#followTasks(news, line, stringsIn(wanted, 'taskIds'), filter, undo)
    return filter
  }

  /** D7: what becomes of tasks is told to those who know the extension. */
  async #followTasks(
    news: News,
    line: Line,
    taskIds: readonly string[],
    filter: Body,
    undo: (() => void)[],
  ): Promise<void> {
    if (!declaresExtension(news.inbound.caller.capabilities, TASKS_EXTENSION)) throw extensionMissing(TASKS_EXTENSION)
    if (!declaresExtension(this.#upstream.introduction?.capabilities ?? {}, TASKS_EXTENSION)) return
    undo.push(news.inbound.keep(costOfTexts(taskIds), 'a listener'))
    const followed = await this.#tasks.follow(news.inbound, line, taskIds, (task) =>
      news.tell('notifications/tasks', task),
    )
    undo.push(followed.stop)
    filter['taskIds'] = followed.taskIds
  }

  /** What the server refuses is left out; the client sees that in the acknowledgement. */
  async #subscribe(news: News, line: Line, uri: string, undo: (() => void)[]): Promise<string | undefined> {
    try {
      const subscription: Subscription = await line.subscribe(uri, (changed) => {
        this.#upstream.shelf.updated(changed)
        news.tell('notifications/resources/updated', { uri: changed })
      })
      undo.push(() => void subscription.unsubscribe().catch(() => {}))
      return uri
    } catch {
      return undefined
    }
  }
}

function stringsIn(wanted: Body, field: string): string[] {
  const values = wanted[field]
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw new ParleyError('invalid_params', { message: `"notifications.${field}" must be a list of strings` })
  }
  if (values.length > MOST_NAMED)
    throw new ParleyError('subscription_failed', { message: `"notifications.${field}" may name ${MOST_NAMED} at most` })
  return [...new Set(values as string[])]
}

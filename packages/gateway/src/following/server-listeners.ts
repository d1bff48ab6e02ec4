/**
 * Answers `subscriptions/listen` at the address of one server of any era. Clients without a session get their
 * notifications on this stream (D-19, D-29, D-30).
 */
import { declares } from 'parley-mcp'
import {
  type Body,
  costOfTexts,
  declaresExtension,
  extensionMissing,
  type Inbound,
  type Session,
  type Subscription,
  TASKS_EXTENSION,
} from 'parley-mcp/engine'
import type { TaskRuns } from '../calls/index.ts'
import type { Conversation, Upstream } from '../upstream/index.ts'
import { LIST_FIELDS, LIST_KINDS, stringsIn, wantedIn } from './listen-request.ts'
import { ListenerStream } from './listener-stream.ts'

export class ServerListeners {
  readonly #upstream: Upstream
  readonly #tasks: TaskRuns
  readonly #listeners = new Set<ListenerStream>()
  readonly #ending = new WeakSet<Session>()

  constructor(upstream: Upstream, tasks: TaskRuns) {
    this.#upstream = upstream
    this.#tasks = tasks
  }

  async listen(inbound: Inbound, conversation: Conversation): Promise<Body> {
    const wanted = wantedIn(inbound, this.#listeners.size)
    const undo: (() => void)[] = [conversation.use()]
    const stream = new ListenerStream(inbound)
    try {
      const filter = await this.#begin(stream, conversation, wanted, undo)
      this.#listeners.add(stream)
      return await stream.untilEnd(filter, {
        over: this.#ending.has(inbound.session),
        onEnd: () => this.#listeners.delete(stream),
      })
    } finally {
      for (const each of undo) each()
    }
  }

  /** The server or the session ends: its listeners get their answer. */
  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const stream of [...this.#listeners])
      if (session === undefined || stream.inbound.session === session) stream.end()
  }

  /** Follows what the server offers. Returns the filter for the acknowledgement. */
  async #begin(stream: ListenerStream, conversation: Conversation, wanted: Body, undo: (() => void)[]): Promise<Body> {
    const { capabilities } = conversation.introduction
    const filter: Body = {}
    for (const kind of LIST_KINDS) {
      const field = LIST_FIELDS[kind]
      if (wanted[field] !== true || !declares(capabilities, `${kind}.listChanged`)) continue
      filter[field] = true
      undo.push(conversation.followList(kind, this.#upstream, () => stream.tell(`notifications/${kind}/list_changed`)))
    }
    const uris = stringsIn(wanted, 'resourceSubscriptions')
    if (uris !== undefined && declares(capabilities, 'resources.subscribe')) {
      undo.push(stream.inbound.keep(costOfTexts(uris), 'a listener'))
      const taken = await Promise.all(uris.map((uri) => this.#subscribe(stream, conversation, uri, undo)))
      filter['resourceSubscriptions'] = taken.filter((uri) => uri !== undefined)
    }
    const taskIds = stringsIn(wanted, 'taskIds')
    if (taskIds !== undefined) await this.#followTasks(stream, conversation, taskIds, filter, undo)
    return filter
  }

  /** D7: only clients with the tasks extension hear of tasks. */
  async #followTasks(
    stream: ListenerStream,
    conversation: Conversation,
    taskIds: readonly string[],
    filter: Body,
    undo: (() => void)[],
  ): Promise<void> {
    if (!declaresExtension(stream.inbound.caller.capabilities, TASKS_EXTENSION)) throw extensionMissing(TASKS_EXTENSION)
    if (!declaresExtension(this.#upstream.introduction?.capabilities ?? {}, TASKS_EXTENSION)) return
    undo.push(stream.inbound.keep(costOfTexts(taskIds), 'a listener'))
    const followed = await this.#tasks.follow(stream.inbound, conversation, taskIds, (task) =>
      stream.tell('notifications/tasks', task),
    )
    undo.push(followed.stop)
    filter['taskIds'] = followed.taskIds
  }

  /** Leaves out what the server refuses. The client sees that in the acknowledgement. */
  async #subscribe(
    stream: ListenerStream,
    conversation: Conversation,
    uri: string,
    undo: (() => void)[],
  ): Promise<string | undefined> {
    try {
      const subscription: Subscription = await conversation.subscribe(uri, (changed) => {
        this.#upstream.resultCache.updated(changed)
        stream.tell('notifications/resources/updated', { uri: changed })
      })
      undo.push(() => void subscription.unsubscribe().catch(() => {}))
      return uri
    } catch {
      return undefined
    }
  }
}

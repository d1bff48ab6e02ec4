/**
 * Who is told that a list of some server has changed, or that a resource or the state of a server has: once per moment,
 * not once per server.
 */
import { ParleyError } from 'parley-mcp'
import {
  type Body,
  type Clock,
  costOfTexts,
  declaresExtension,
  extensionMissing,
  type Inbound,
  isObject,
  type Session,
  TASKS_EXTENSION,
} from 'parley-mcp/engine'
import { News, type ServedUpstream } from '../bridge/index.ts'
import type { ListKind } from '../upstream/index.ts'
import type { Followed } from './followed.ts'
import { Interest } from './interest.ts'
import { Listened } from './listened.ts'
import { OwnNews } from './own-news.ts'
import { STATUS_URI } from './status.ts'
import type { Whole } from './whole.ts'

const FIELDS: Readonly<Record<ListKind, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}
const KINDS = Object.keys(FIELDS) as ListKind[]
/** M6: changes of one kind within so many milliseconds are one. */
const PACE = 100
/** Most resources, and most tasks, that one listener may name. */
const MOST_NAMED = 1000
const MOST_LISTENERS = 10_000

interface Listener {
  readonly kinds: ReadonlySet<ListKind>
  readonly listened: Listened
  /** Where it listens to lists. */
  readonly own: OwnNews | undefined
}

/** A client with a session. */
interface Follows {
  readonly followed: Followed
  /** It does not want to be told of lists any more. */
  readonly ceaseInterest: () => void
}

/** Whom a change concerns; all that listen, unless they are named. */
interface Due {
  readonly stop: () => void
  only: Set<Session | News> | undefined
}

export class AggregateListeners {
  readonly #clock: Clock
  readonly #whole: Whole
  readonly #sessions = new Map<Session, Follows>()
  readonly #listeners = new Map<News, Listener>()
  readonly #ending = new WeakSet<Session>()
  readonly #statusObservers = new Set<() => void>()
  readonly #servers = new Map<ServedUpstream, () => void>()
  readonly #due = new Map<ListKind, Due>()
  readonly #interest = new Interest()
  #statusDue: (() => void) | undefined
  #moveDue: (() => void) | undefined

  constructor(whole: Whole) {
    this.#whole = whole
    this.#clock = whole.clock
  }

  /** From now on changes of these servers are told, and of no others. */
  follow(servers: readonly ServedUpstream[]): void {
    const wanted = new Set(servers)
    for (const [served, stop] of this.#servers) {
      if (wanted.has(served)) continue
      stop()
      this.#servers.delete(served)
    }
    for (const served of wanted) if (!this.#servers.has(served)) this.#servers.set(served, this.#watch(served))
    for (const { own } of this.#listeners.values()) own?.setServers(wanted)
  }

  add(session: Session, followed: Followed): void {
    this.#sessions.set(session, { followed, ceaseInterest: this.#interest.want(KINDS) })
  }

  remove(session: Session): void {
    this.#sessions.get(session)?.ceaseInterest()
    this.#sessions.delete(session)
    this.endAll(session)
  }

  onStatus(observer: () => void): () => void {
    this.#statusObservers.add(observer)
    return () => this.#statusObservers.delete(observer)
  }

  /**
   * For all, or for a client whose own conversation with a server has shown it. The last change of a burst is told,
   * too.
   */
  changed(kind: ListKind, whom?: Session | News): void {
    if (kind === 'resources') this.#whole.lists.resourcesChanged()
    if (this.#sessions.size + this.#listeners.size === 0) return
    const due = this.#due.get(kind)
    if (due === undefined) {
      const stop = this.#clock.after(PACE, () => this.#tell(kind))
      this.#due.set(kind, { stop, only: whom && new Set([whom]) })
    } else if (whom === undefined) due.only = undefined
    else due.only?.add(whom)
  }

  /** Servers are others now. */
  allChanged(): void {
    for (const followed of this.#followed()) followed.renew()
    for (const kind of KINDS) this.changed(kind)
    this.#statusChanged()
  }

  /** What is followed goes where it is read: a list may have shown that this is elsewhere now. */
  urisMoved(): void {
    if (this.#sessions.size + this.#listeners.size === 0) return
    this.#moveDue ??= this.#clock.after(PACE, () => {
      this.#moveDue = undefined
      for (const followed of this.#followed()) followed.move()
    })
  }

  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const news of [...this.#listeners.keys()])
      if (session === undefined || news.inbound.session === session) news.end()
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
    const wanted = inbound.params['notifications']
    if (!isObject(wanted))
      throw new ParleyError('invalid_params', {
        message: '"notifications" must be an object that says what to listen for',
      })
    if (this.#listeners.size >= MOST_LISTENERS)
      throw new ParleyError('too_many_requests', { message: 'Too many clients listen already' })
    const kinds = new Set(KINDS.filter((kind) => wanted[FIELDS[kind]] === true))
    const filter: Body = Object.fromEntries([...kinds].map((kind) => [FIELDS[kind], true]))
    const news = new News(inbound)
    const listened = new Listened(news, this.#whole)
    const own =
      kinds.size === 0 ? undefined : new OwnNews(inbound, (kind) => kinds.has(kind) && this.changed(kind, news))
    const undo = [() => listened.end(), () => own?.end(), this.#interest.want(kinds)]
    try {
      const uris = stringsIn(wanted, 'resourceSubscriptions')
      const taskIds = stringsIn(wanted, 'taskIds')
      if (taskIds !== undefined && !declaresExtension(inbound.caller.capabilities, TASKS_EXTENSION))
        throw extensionMissing(TASKS_EXTENSION)
      undo.push(inbound.keep(costOfTexts([...(uris ?? []), ...(taskIds ?? [])]), 'a listener'))
      const [following, tasks] = await Promise.all([
        uris && this.#follow(news, listened, uris, undo),
        taskIds && listened.addTasks(taskIds),
      ])
      if (following !== undefined) filter['resourceSubscriptions'] = following
      if (tasks !== undefined) filter['taskIds'] = tasks
      this.#listeners.set(news, { kinds, listened, own })
      own?.setServers(this.#servers.keys())
      return await news.untilEnd(filter, {
        over: this.#ending.has(inbound.session),
        onEnd: () => this.#listeners.delete(news),
      })
    } finally {
      for (const each of undo) each()
    }
  }

  #watch(served: ServedUpstream): () => void {
    const { upstream } = served
    const stops = [
      upstream.onListChanged((kind) => this.changed(kind)),
      upstream.supervisor.onStatus(() => this.#statusChanged()),
      this.#interest.add(served),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** What cannot be followed is left out; the client sees that in the acknowledgement. */
  async #follow(news: News, listened: Listened, uris: readonly string[], undo: (() => void)[]): Promise<string[]> {
    const taken = await Promise.all(
      uris.map(async (uri) => {
        if (uri !== STATUS_URI) return listened.addResource(uri)
        undo.push(this.onStatus(() => news.tell('notifications/resources/updated', { uri })))
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
    for (const [news, { kinds }] of this.#listeners)
      if (kinds.has(kind) && (only === undefined || only.has(news))) news.inbound.notify(notice)
  }

  /** Of all clients. */
  *#followed(): Iterable<Followed> {
    for (const { followed } of this.#sessions.values()) yield followed
    for (const { listened } of this.#listeners.values()) yield listened.resources
  }

  #statusChanged(): void {
    if (this.#statusObservers.size === 0) return
    this.#statusDue ??= this.#clock.after(PACE, () => {
      this.#statusDue = undefined
      for (const observer of [...this.#statusObservers]) observer()
    })
  }
}

function stringsIn(wanted: Body, field: string): readonly string[] | undefined {
  const values: unknown = wanted[field]
  if (values === undefined) return undefined
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string') || values.length > MOST_NAMED) {
    throw new ParleyError('invalid_params', {
      message: `"notifications.${field}" must be a list of at most ${MOST_NAMED} strings`,
    })
  }
  return [...new Set(values as string[])]
}

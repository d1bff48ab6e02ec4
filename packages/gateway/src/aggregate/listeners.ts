/** Who is told that a list of some server has changed, or that a resource or the state of a server has: once per moment, not once per server. */
import { ParleyError } from 'parley-mcp'
import { type Body, type Clock, type Inbound, isObject, META, type Session, type Subscription } from 'parley-mcp/engine'
import { News, type ServedUpstream } from '../bridge/index.ts'
import type { ListKind } from '../upstream/index.ts'
import type { Directory } from './directory.ts'
import { STATUS_URI } from './status.ts'

const FIELDS: Readonly<Record<ListKind, string>> = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' }
const KINDS = Object.keys(FIELDS) as ListKind[]
/** M6: changes of one kind within so many milliseconds are one. */
const PACE = 100
const MOST_URIS = 1000
const MOST_LISTENERS = 10_000

interface Listener {
  readonly inbound: Inbound
  readonly kinds: ReadonlySet<ListKind>
  end(): void
}

export class AggregateListeners {
  readonly #clock: Clock
  readonly #directory: Directory
  readonly #sessions = new Set<Session>()
  readonly #listeners = new Set<Listener>()
  readonly #ending = new WeakSet<Session>()
  readonly #statusObservers = new Set<() => void>()
  readonly #followed = new Map<ServedUpstream, () => void>()
  readonly #due = new Map<string, () => void>()

  constructor(directory: Directory, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  /** From now on changes of these servers are told, and of no others. */
  follow(servers: readonly ServedUpstream[]): void {
    for (const [served, stop] of this.#followed) {
      if (servers.includes(served)) continue
      stop()
      this.#followed.delete(served)
    }
    for (const served of servers) {
      if (this.#followed.has(served)) continue
      const { upstream } = served
      const stops = [upstream.onListChanged((kind) => this.changed(kind)), upstream.supervisor.onStatus(() => this.#soon('status', () => this.#tellStatus()))]
      this.#followed.set(served, () => {
        for (const stop of stops) stop()
      })
    }
  }

  add(session: Session): void {
    this.#sessions.add(session)
  }

  remove(session: Session): void {
    this.#sessions.delete(session)
    this.endAll(session)
  }

  onStatus(observer: () => void): () => void {
    this.#statusObservers.add(observer)
    return () => this.#statusObservers.delete(observer)
  }

  changed(kind: ListKind): void {
    this.#soon(kind, () => {
      const notice = `notifications/${kind}/list_changed`
      for (const session of this.#sessions) session.notify(notice)
      for (const { inbound, kinds } of this.#listeners) if (kinds.has(kind)) inbound.notify(notice)
    })
  }

  allChanged(): void {
    for (const kind of KINDS) this.changed(kind)
  }

  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const listener of [...this.#listeners]) if (session === undefined || listener.inbound.session === session) listener.end()
  }

  close(): void {
    this.endAll()
    this.follow([])
    for (const stop of this.#due.values()) stop()
    this.#due.clear()
  }

  async listen(inbound: Inbound): Promise<Body> {
    const wanted = inbound.params['notifications']
    if (!isObject(wanted)) throw new ParleyError('invalid_params', { message: '"notifications" must be an object that says what to listen for' })
    if (this.#listeners.size >= MOST_LISTENERS) throw new ParleyError('too_many_requests', { message: 'Too many clients listen already' })
    const kinds = new Set(KINDS.filter((kind) => wanted[FIELDS[kind]] === true))
    const undo: (() => void)[] = []
    const news = new News(inbound)
    try {
      const uris = await this.#subscribeAll(news, wanted['resourceSubscriptions'], undo)
      const filter: Body = Object.fromEntries([...kinds].map((kind) => [FIELDS[kind], true]))
      if (uris !== undefined) filter['resourceSubscriptions'] = uris
      return await this.#untilEnd(news, kinds, filter)
    } finally {
      for (const each of undo) each()
    }
  }

  async #subscribeAll(news: News, uris: unknown, undo: (() => void)[]): Promise<string[] | undefined> {
    if (uris === undefined) return undefined
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string') || uris.length > MOST_URIS) {
      throw new ParleyError('invalid_params', { message: `"notifications.resourceSubscriptions" must be a list of at most ${MOST_URIS} strings` })
    }
    const taken = await Promise.all([...new Set(uris as string[])].map((uri) => this.#subscribe(news, uri, undo)))
    return taken.filter((uri) => uri !== undefined)
  }

  async #subscribe(news: News, uri: string, undo: (() => void)[]): Promise<string | undefined> {
    if (uri === STATUS_URI) {
      undo.push(this.onStatus(() => news.tell('notifications/resources/updated', { uri })))
      return uri
    }
    try {
      const { served, own } = await this.#directory.resource(uri)
      const line = await served.upstream.home()
      if (!line.client.session.hasPeerCapability('resources.subscribe')) return undefined
      const { name } = served.upstream
      const subscription: Subscription = await line.subscribe(own, (changed) => {
        served.upstream.shelf.updated(changed)
        news.tell('notifications/resources/updated', { uri: changed === own ? uri : this.#directory.publicUri(name, changed) })
      })
      undo.push(() => void subscription.unsubscribe().catch(() => {}))
      return uri
    } catch {
      return undefined
    }
  }

  #untilEnd(news: News, kinds: ReadonlySet<ListKind>, filter: Body): Promise<Body> {
    const { inbound } = news
    return new Promise((resolve) => {
      const listener: Listener = {
        inbound,
        kinds,
        end: () => {
          this.#listeners.delete(listener)
          resolve({ _meta: { [META.subscription]: inbound.id } })
        },
      }
      if (inbound.cancelled || this.#ending.has(inbound.session)) return listener.end()
      this.#listeners.add(listener)
      inbound.signal.addEventListener('abort', () => listener.end(), { once: true })
      news.acknowledge(filter)
    })
  }

  #tellStatus(): void {
    for (const observer of [...this.#statusObservers]) observer()
  }

  /** The last change of a burst is told, too. */
  #soon(key: string, tell: () => void): void {
    if (this.#due.has(key)) return
    this.#due.set(
      key,
      this.#clock.after(PACE, () => {
        this.#due.delete(key)
        tell()
      }),
    )
  }
}

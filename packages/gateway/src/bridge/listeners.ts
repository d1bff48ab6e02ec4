/** Answers `subscriptions/listen` for a server of any era: what clients without a session are told of, for as long as they listen (D-19, D-29, D-30). */
import { declares, ParleyError } from 'parley-mcp'
import { type Body, type Inbound, isObject, META, type Session, type Subscription } from 'parley-mcp/engine'
import type { Line, ListKind, Upstream } from '../upstream/index.ts'
import { News } from './news.ts'

const FIELDS: Readonly<Record<ListKind, string>> = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' }
const KINDS = Object.keys(FIELDS) as ListKind[]
/** Most resources that one listener may name. */
const MOST_URIS = 1000
const MOST_LISTENERS = 10_000

interface Listener {
  readonly inbound: Inbound
  end(): void
}

export class Listeners {
  readonly #upstream: Upstream
  readonly #listeners = new Set<Listener>()
  readonly #ending = new WeakSet<Session>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  async listen(inbound: Inbound, line: Line): Promise<Body> {
    const wanted = inbound.params['notifications']
    if (!isObject(wanted)) throw new ParleyError('invalid_params', { message: '"notifications" must be an object that says what to listen for' })
    if (this.#listeners.size >= MOST_LISTENERS) throw new ParleyError('too_many_requests', { message: 'Too many clients listen already' })
    const undo: (() => void)[] = []
    line.users++
    undo.push(() => line.users--)
    const news = new News(inbound)
    try {
      const filter = await this.#begin(news, line, wanted, undo)
      return await this.#untilEnd(news, filter)
    } finally {
      for (const each of undo) each()
    }
  }

  /** The server or the session ends: whoever listens there is told so. */
  endAll(session?: Session): void {
    if (session !== undefined) this.#ending.add(session)
    for (const listener of [...this.#listeners]) if (session === undefined || listener.inbound.session === session) listener.end()
  }

  /** Begins to follow what the server can tell of; what was agreed to is the acknowledgement. */
  async #begin(news: News, line: Line, wanted: Body, undo: (() => void)[]): Promise<Body> {
    const { capabilities } = line.introduction
    const filter: Body = {}
    for (const kind of KINDS) {
      const field = FIELDS[kind]
      if (wanted[field] !== true || !declares(capabilities, `${kind}.listChanged`)) continue
      filter[field] = true
      undo.push(line.client.onListChanged(kind, () => news.tell(`notifications/${kind}/list_changed`)))
    }
    const uris = wanted['resourceSubscriptions']
    if (uris !== undefined && declares(capabilities, 'resources.subscribe')) filter['resourceSubscriptions'] = await this.#follow(news, line, uris, undo)
    return filter
  }

  async #follow(news: News, line: Line, uris: unknown, undo: (() => void)[]): Promise<string[]> {
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
      throw new ParleyError('invalid_params', { message: '"notifications.resourceSubscriptions" must be a list of strings' })
    }
    if (uris.length > MOST_URIS)
      throw new ParleyError('subscription_failed', { message: `"notifications.resourceSubscriptions" may name ${MOST_URIS} at most` })
    const taken = await Promise.all([...new Set(uris as string[])].map((uri) => this.#subscribe(news, line, uri, undo)))
    return taken.filter((uri) => uri !== undefined)
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

  #untilEnd(news: News, filter: Body): Promise<Body> {
    const { inbound } = news
    return new Promise((resolve) => {
      const listener: Listener = {
        inbound,
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
}

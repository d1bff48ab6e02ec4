/**
 * One client's ways to the servers it uses: each begins with its first request there, and ends with the client or the
 * server.
 */
import { eraOf, type LogLevel, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Body,
  type Inbound,
  type Introduction,
  isObject,
  Serialised,
  type Session,
} from 'parley-mcp/engine'
import type { Hold, ServedUpstream, ServerEndpoint } from '../bridge/index.ts'
import { pipeline } from '../calls/index.ts'
import { isAppUri } from '../catalogue/index.ts'
import type { ClientSession, ListKind } from '../upstream/index.ts'
import type { Route } from './directory.ts'
import type { Follower } from './followed.ts'
import { refusalOf } from './refusal.ts'
import type { Whole } from './whole.ts'
import { Words } from './words.ts'

export class Way {
  readonly served: ServedUpstream
  readonly endpoint: ServerEndpoint
  readonly words: Words
  ready: Promise<void> | undefined

  constructor(served: ServedUpstream, whole: Whole, client: ClientSession, onListChanged: (kind: ListKind) => void) {
    this.served = served
    this.words = new Words(served.upstream.name, whole.offers, whole.tasks)
    const told = (method: string, params: Body): Body => this.words.told(method, params)
    this.endpoint = served.endpoint({ told, listChanged: onListChanged }, client)
  }
}

export class Ways implements Follower {
  readonly #whole: Whole
  readonly #client: ClientSession
  readonly #onListChanged: (kind: ListKind, server: string) => void
  /** By server. */
  readonly #ways = new Map<string, Way>()
  /** To servers that are no more, and what ends them before their time. */
  readonly #retired = new Map<Way, () => void>()
  #peer: Introduction | undefined
  #session: Session | undefined
  #level: LogLevel | undefined
  #closed = false

  constructor(whole: Whole, client: ClientSession, onListChanged: (kind: ListKind, server: string) => void) {
    this.#whole = whole
    this.#client = client
    this.#onListChanged = onListChanged
  }

  set peer(peer: Introduction) {
    this.#peer = peer
  }

  set session(session: Session) {
    this.#session = session
  }

  all(): readonly Way[] {
    return [...this.#ways.values()]
  }

  /** One that has begun. */
  known(served: ServedUpstream): Way | undefined {
    const way = this.#ways.get(served.upstream.name)
    return way?.served === served ? way : undefined
  }

  async to(served: ServedUpstream, inbound: Inbound): Promise<Way> {
    const way = this.#way(this.#current(served))
    if (eraOf(inbound.caller.version) === 'handshake') await this.#opened(way)
    return way
  }

  /** Hands the request to a server, with what is called otherwise there, and its answer back in the client's words. */
  async send(inbound: Inbound, served: ServedUpstream, changes: Body): Promise<Answer> {
    const current = this.#current(served)
    return this.#whole.running.during(current, () => this.#send(inbound, current, changes))
  }

  async #send(inbound: Inbound, served: ServedUpstream, changes: Body): Promise<Answer> {
    const { endpoint, words: own } = await this.to(served, inbound)
    const names = wordsFor(inbound, changes, own)
    const call = endpoint.call(inbound, { names, changes: { with: changes } })
    try {
      const answer = await pipeline.run(call)
      if (answer instanceof Serialised || !isObject(answer)) return answer
      if (call.lasts) this.#hold(answer as Body, served)
      return names.result(inbound.method, answer as Body)
    } catch (error) {
      throw refusalOf(inbound.params['name'], changes['name'], error)
    }
  }

  async setLevel(level: LogLevel): Promise<void> {
    this.#level = level
    await Promise.allSettled(this.all().map(({ endpoint }) => endpoint.wantLevel(level)))
  }

  async follow({ served, own }: Route, told: (own: string) => void): Promise<Hold> {
    const way = this.#way(this.#current(served))
    await this.#opened(way)
    return way.endpoint.followResource(own, told)
  }

  updated(uri: string): void {
    this.#session?.notify('notifications/resources/updated', { uri })
  }

  /** Servers have come, gone or been replaced. */
  serversChanged(): void {
    for (const [name, way] of this.#ways) {
      const served = this.#whole.offers.server(name)
      if (served === way.served) continue
      this.#ways.delete(name)
      if (this.#session !== undefined) this.#retire(way, this.#session)
    }
  }

  closed(session: Session): void {
    this.#closed = true
    for (const { endpoint } of this.#ways.values()) endpoint.closed(session)
    this.#ways.clear()
    for (const [{ endpoint }, callOff] of this.#retired) {
      callOff()
      endpoint.closed(session)
    }
    this.#retired.clear()
  }

  /** It finishes what it works on. */
  #retire(way: Way, session: Session): void {
    let over = false
    const callOff = this.#whole.running.whenDone(way.served, () => {
      over = true
      this.#retired.delete(way)
      way.endpoint.closed(session)
    })
    if (!over) this.#retired.set(way, callOff)
  }

  /** Where a request goes whose way was found before servers changed. */
  #current({ upstream: { name } }: ServedUpstream): ServedUpstream {
    const served = this.#whole.offers.server(name)
    if (served === undefined)
      throw new ParleyError('refusal_unavailable', {
        message: `Server "${name}" was removed from the configuration`,
        data: { server: name },
      })
    return served
  }

  #way(served: ServedUpstream): Way {
    served.upstream.demandUp()
    if (this.#closed) throw new ParleyError('session_closed')
    const known = this.known(served)
    if (known !== undefined) return known
    const { name } = served.upstream
    const way: Way = new Way(
      served,
      this.#whole,
      this.#client,
      (kind) => this.#ways.get(name) === way && this.#onListChanged(kind, name),
    )
    this.#ways.set(name, way)
    return way
  }

  async #opened(way: Way): Promise<void> {
    way.ready ??= this.#open(way)
    try {
      await way.ready
    } catch (error) {
      way.ready = undefined
      throw error
    }
  }

  async #open({ endpoint }: Way): Promise<void> {
    if (this.#peer === undefined || this.#session === undefined)
      throw new ParleyError('not_initialized', { message: 'The client is not ready yet' })
    await endpoint.prepare(this.#peer)
    endpoint.opened(this.#session)
    // A server that has no such level, or no answer, is no reason to fail what the client wants of it.
    if (this.#level !== undefined) await endpoint.wantLevel(this.#level).catch(() => {})
  }

  /** The gateway runs the task itself, and gave it its id. */
  #hold(answer: Body, { upstream }: ServedUpstream): void {
    const task = isObject(answer['task']) ? answer['task'] : answer
    if (typeof task['taskId'] === 'string') this.#whole.tasks.hold(task['taskId'], upstream.name)
  }
}

function wordsFor({ method, params }: Inbound, changes: Body, words: Words): Words {
  if (method !== 'resources/read' || (changes['uri'] === params['uri'] && !isAppUri(String(changes['uri']))))
    return words
  return words.answering({ own: String(changes['uri']), uri: String(params['uri']) })
}

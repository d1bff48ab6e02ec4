/** One client's links to the servers it uses. A link begins with the first request, and ends with client or server. */
import { eraOf, type LogLevel, ParleyError } from 'parley-mcp'
import type { Body, Inbound, Introduction, Session } from 'parley-mcp/engine'
import { NameRewriter, type Route } from '../../aggregate/index.ts'
import type { CallSite, Renaming, Routed } from '../../calls/index.ts'
import { isAppUri } from '../../catalogue/index.ts'
import type { ActiveSubscription, Follower } from '../../following/index.ts'
import type { ClientSession, ListKind, Upstream } from '../../upstream/index.ts'
import type { ServerEndpoint } from '../server/server-endpoint.ts'
import type { AggregateShared } from './aggregate-shared.ts'

export class ServerLink {
  readonly upstream: Upstream
  readonly endpoint: ServerEndpoint
  readonly names: NameRewriter
  ready: Promise<void> | undefined

  constructor(
    upstream: Upstream,
    shared: AggregateShared,
    client: ClientSession,
    onListChanged: (kind: ListKind) => void,
  ) {
    this.upstream = upstream
    this.names = new NameRewriter(upstream.name, shared.state.nameIndex, shared.state.tasks)
    const told = (method: string, params: Body): Body => this.names.told(method, params)
    this.endpoint = shared.addressOf(upstream).endpoint({ told, listChanged: onListChanged }, client)
  }
}

export class ServerLinks implements Follower {
  readonly #shared: AggregateShared
  readonly #client: ClientSession
  readonly #onListChanged: (kind: ListKind, server: string) => void
  /** By server. */
  readonly #links = new Map<string, ServerLink>()
  /** Links to removed servers, and the function that cancels their delayed end. */
  readonly #retired = new Map<ServerLink, () => void>()
  #peer: Introduction | undefined
  #session: Session | undefined
  #level: LogLevel | undefined
  #closed = false

  constructor(shared: AggregateShared, client: ClientSession, onListChanged: (kind: ListKind, server: string) => void) {
    this.#shared = shared
    this.#client = client
    this.#onListChanged = onListChanged
  }

  set peer(peer: Introduction) {
    this.#peer = peer
  }

  set session(session: Session) {
    this.#session = session
  }

  all(): readonly ServerLink[] {
    return [...this.#links.values()]
  }

  /** The link to this server, if it has begun. */
  known(upstream: Upstream): ServerLink | undefined {
    const link = this.#links.get(upstream.name)
    return link?.upstream === upstream ? link : undefined
  }

  async to(upstream: Upstream, inbound: Inbound): Promise<ServerLink> {
    const link = this.#link(this.current(upstream))
    if (eraOf(inbound.caller.version) === 'handshake') await this.#opened(link)
    return link
  }

  /** The link for one request, and what the names in it are to the client. */
  async reach({ upstream, changes }: Routed, inbound: Inbound): Promise<{ site: CallSite; names: Renaming }> {
    const { endpoint, names } = await this.to(upstream, inbound)
    return { site: endpoint, names: rewriterFor(inbound, changes, names) }
  }

  async setLevel(level: LogLevel): Promise<void> {
    this.#level = level
    await Promise.allSettled(this.all().map(({ endpoint }) => endpoint.wantLevel(level)))
  }

  async follow({ upstream, nameAtServer }: Route, told: (uri: string) => void): Promise<ActiveSubscription> {
    const link = this.#link(this.current(upstream))
    await this.#opened(link)
    return link.endpoint.followResource(nameAtServer, told)
  }

  updated(uri: string): void {
    this.#session?.notify('notifications/resources/updated', { uri })
  }

  /** Servers have come, gone or been replaced. */
  serversChanged(): void {
    for (const [name, link] of this.#links) {
      const upstream = this.#shared.state.nameIndex.server(name)
      if (upstream === link.upstream) continue
      this.#links.delete(name)
      if (this.#session !== undefined) this.#retire(link, this.#session)
    }
  }

  closed(session: Session): void {
    this.#closed = true
    for (const { endpoint } of this.#links.values()) endpoint.closed(session)
    this.#links.clear()
    for (const [{ endpoint }, callOff] of this.#retired) {
      callOff()
      endpoint.closed(session)
    }
    this.#retired.clear()
  }

  /** The server finishes its calls in progress first. */
  #retire(link: ServerLink, session: Session): void {
    let over = false
    const callOff = this.#shared.running.whenDone(link.upstream, () => {
      over = true
      this.#retired.delete(link)
      link.endpoint.closed(session)
    })
    if (!over) this.#retired.set(link, callOff)
  }

  /** The server with this name now: servers may have changed since the request was routed. */
  current({ name }: Upstream): Upstream {
    const upstream = this.#shared.state.nameIndex.server(name)
    if (upstream === undefined)
      throw new ParleyError('refusal_unavailable', {
        message: `Server "${name}" was removed from the configuration`,
        data: { server: name },
      })
    return upstream
  }

  #link(upstream: Upstream): ServerLink {
    upstream.demandUp()
    if (this.#closed) throw new ParleyError('session_closed')
    const known = this.known(upstream)
    if (known !== undefined) return known
    const { name } = upstream
    const link: ServerLink = new ServerLink(
      upstream,
      this.#shared,
      this.#client,
      (kind) => this.#links.get(name) === link && this.#onListChanged(kind, name),
    )
    this.#links.set(name, link)
    return link
  }

  async #opened(link: ServerLink): Promise<void> {
    link.ready ??= this.#open(link)
    try {
      await link.ready
    } catch (error) {
      link.ready = undefined
      throw error
    }
  }

  async #open({ endpoint }: ServerLink): Promise<void> {
    if (this.#peer === undefined || this.#session === undefined)
      throw new ParleyError('not_initialized', { message: 'The client is not ready yet' })
    await endpoint.prepare(this.#peer)
    endpoint.opened(this.#session)
    // The client's request goes on even if the server refuses the level.
    if (this.#level !== undefined) await endpoint.wantLevel(this.#level).catch(() => {})
  }
}

function rewriterFor({ method, params }: Inbound, changes: Body, names: NameRewriter): NameRewriter {
  if (method !== 'resources/read' || (changes['uri'] === params['uri'] && !isAppUri(String(changes['uri']))))
    return names
  return names.answering({ uriAtServer: String(changes['uri']), uri: String(params['uri']) })
}

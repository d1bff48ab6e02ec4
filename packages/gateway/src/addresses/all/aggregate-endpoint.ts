/** One client's endpoint at the address of all servers: one server with the tools, resources and prompts of all. */
import { type Capabilities, eraOf, type LogLevel, logLevels, ParleyError, type Tool } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  type Body,
  costOfTexts,
  type Endpoint,
  HANDLE_KEY,
  type HeaderParam,
  type Inbound,
  type Introduction,
  isObject,
  META,
  type Session,
} from 'parley-mcp/engine'
import {
  type AggregateState,
  type ClientList,
  type ClientLists,
  isListMethod,
  LIST_DEADLINE_MS,
  type ListMethod,
  ListReaders,
  type Route,
} from '../../aggregate/index.ts'
import {
  type AllServers,
  Call,
  type CallOrigin,
  type CallSite,
  pipeline,
  type Renaming,
  type Routed,
  reported,
  STATUS_RESOURCE,
  STATUS_URI,
  uriIn,
  withoutExecution,
} from '../../calls/index.ts'
import { MergedList, untoldIn } from '../../catalogue/index.ts'
import type { FollowedResources } from '../../following/index.ts'
import type { ClientGuard } from '../../limits/index.ts'
import {
  abilitiesOf,
  type ClientLog,
  type ClientSession,
  type ListKind,
  NO_ABILITIES,
  toldTo,
  type Upstream,
  viaIn,
} from '../../upstream/index.ts'
import type { AggregateShared } from './aggregate-shared.ts'
import { ServerLinks } from './server-links.ts'

const NOTHING: Body = {}
/** A request that the gateway sends to each server in turn. */
const PART: CallOrigin = { kind: 'part' }

export class AggregateEndpoint implements Endpoint, AllServers {
  readonly takesForeignState = true
  readonly keepsDigits = true
  limit: ClientGuard | undefined
  readonly #shared: AggregateShared
  readonly #state: AggregateState
  readonly clientLog: ClientLog
  readonly #origin: CallOrigin = { kind: 'all', address: this }
  readonly #links: ServerLinks
  readonly #followed: FollowedResources
  /** Servers whose list of a kind changed in this client's own conversation. The gateway then reads the list there. */
  readonly #diverged = new Map<ListKind, Set<string>>()
  /** Set for a client that shook hands and sees lists of its own. */
  #readers: ListReaders | undefined
  #taskLists: MergedList<Body> | undefined
  /** The client is another gateway. */
  #isForGateways = false
  #session: Session | undefined
  /** The introduction that a client got in its handshake. */
  #told: Introduction | undefined
  #statusFollowed: (() => void) | undefined

  constructor(shared: AggregateShared, clientLog: ClientLog, client: ClientSession) {
    this.#shared = shared
    this.#state = shared.state
    this.clientLog = clientLog
    this.#links = new ServerLinks(shared, client, (kind, server) => this.#changed(kind, server))
    this.#followed = shared.listeners.resourcesFor(this.#links)
  }

  /** A request for one server does not wait for the start of the others. */
  prepare(
    peer: Introduction | undefined,
    declared = peer?.capabilities,
    method = 'initialize',
  ): Promise<void> | undefined {
    const via = viaIn(declared)
    this.#shared.loopGuard.refuse(via)
    if (via.length > 0) this.#isForGateways = true
    if (peer !== undefined) this.#links.peer = peer
    return isAboutAll(method) ? this.#state.startupWait.settled() : undefined
  }

  introduce(declared?: Capabilities): Introduction {
    const { current } = this.#shared.introduction
    return viaIn(declared).length > 0 ? this.#shared.loopGuard.introduced(current) : toldTo(declared, current)
  }

  answer(inbound: Inbound): Answered {
    return pipeline.run(new Call(inbound, this.#origin))
  }

  tool(name: string): Body | undefined {
    const route = this.#state.directory.knownTool(name)
    return route?.upstream.tools.definition(route.nameAtServer) as Body | undefined
  }

  /** No parameters for an unknown tool: the call itself returns the error. */
  async headerParams(name: string): Promise<readonly HeaderParam[]> {
    const route = await this.#state.directory.tool(name).catch(() => undefined)
    return route === undefined ? [] : route.upstream.tools.headerParams(route.nameAtServer)
  }

  notified(method: string, params: Body): void {
    for (const { endpoint } of this.#links.all()) endpoint.notified(method, params)
  }

  opened(session: Session): void {
    this.#session = session
    this.#told = this.#shared.introduction.current
    this.#links.session = session
    this.#shared.listeners.add(session, this.#followed)
  }

  closing(session: Session): void {
    this.#shared.listeners.endAll(session)
  }

  closed(session: Session): void {
    this.#shared.listeners.remove(session)
    this.#statusFollowed?.()
    this.#followed.end()
    this.#links.closed(session)
  }

  serversChanged(): void {
    this.#links.serversChanged()
    for (const servers of this.#diverged.values())
      for (const name of servers) if (this.#state.nameIndex.server(name) === undefined) servers.delete(name)
  }

  // For the stages of its calls

  get servers(): Iterable<Upstream> {
    return this.#state.nameIndex.servers
  }

  /** Two gateways that connect at the same moment do not know each other's servers yet, so requests check again. */
  refuseLoop({ caller }: Inbound): void {
    if (this.#isForGateways) this.#shared.loopGuard.refuse(viaIn(caller.capabilities))
  }

  list(inbound: Inbound): Promise<Answer> {
    return isListMethod(inbound.method) ? this.#list(inbound.method, inbound) : this.#listTasks(inbound)
  }

  follow(inbound: Inbound): Promise<Answer> {
    switch (inbound.method) {
      case 'logging/setLevel':
        return this.#setLevel(inbound)
      case 'resources/subscribe':
        return this.#subscribe(inbound)
      case 'resources/unsubscribe':
        return this.#unsubscribe(inbound)
      default:
        return this.#shared.listeners.listen(inbound)
    }
  }

  async find(inbound: Inbound): Promise<Routed> {
    const { directory } = this.#state
    const { method, params } = inbound
    switch (method) {
      case 'tools/call':
        return to(await directory.tool(params['name'], () => this.#readClientTools(inbound)), 'name')
      case 'prompts/get':
        return to(await directory.prompt(params['name']), 'name')
      case 'resources/read':
        return to(await directory.resource(params['uri']), 'uri')
      case 'completion/complete':
        return this.#findReference(params['ref'])
      default:
        if (method.startsWith('tasks/')) return to(directory.task(params['taskId']), 'taskId')
        throw new ParleyError('method_not_found', {
          message: `${method.slice(0, 200)} does not say which server it is for; ask that server at its own address, /servers/NAME/mcp`,
        })
    }
  }

  async #findReference(ref: unknown): Promise<Routed> {
    if (!isObject(ref)) throw new ParleyError('invalid_params', { message: '"ref" must be an object' })
    const { directory } = this.#state
    const isPrompt = ref['type'] === 'ref/prompt'
    const { upstream, nameAtServer } = isPrompt
      ? await directory.prompt(ref['name'])
      : await directory.resource(ref['uri'])
    return { upstream, changes: { ref: { ...ref, [isPrompt ? 'name' : 'uri']: nameAtServer } } }
  }

  reach(routed: Routed, inbound: Inbound): Promise<{ site: CallSite; names: Renaming }> {
    return this.#links.reach(routed, inbound)
  }

  during<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
    return this.#shared.running.during(this.#links.current(upstream), work)
  }

  holdTask(taskId: string, { name }: Upstream): void {
    this.#state.tasks.hold(taskId, name)
  }

  async #setLevel(inbound: Inbound): Promise<Body> {
    const level = inbound.params['level'] as LogLevel
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    await this.#links.setLevel(level)
    return NOTHING
  }

  async #subscribe(inbound: Inbound): Promise<Answer> {
    const uri = uriIn(inbound.params)
    if (uri === STATUS_URI) return this.#followStatus(inbound.session)
    await this.#followed.add(uri, inbound.keep(costOfTexts([uri]), 'a subscription'))
    return NOTHING
  }

  async #unsubscribe(inbound: Inbound): Promise<Answer> {
    const uri = uriIn(inbound.params)
    if (uri === STATUS_URI) {
      this.#statusFollowed?.()
      this.#statusFollowed = undefined
      return NOTHING
    }
    await this.#followed.remove(uri)
    return NOTHING
  }

  async #list(method: ListMethod, inbound: Inbound): Promise<Answer> {
    const { cursor } = inbound.params
    this.#reportUntold()
    const page = await this.#state.lists.page(method, cursor, this.#clientLists(method, inbound))
    if (method === 'resources/list' && cursor === undefined)
      page['resources'] = [STATUS_RESOURCE, ...(page['resources'] as Body[])]
    if (method === 'tools/list' && eraOf(inbound.caller.version) === 'stateless')
      page['tools'] = (page['tools'] as Tool[]).map(withoutExecution)
    return reported(inbound, [], page)
  }

  /** Reports capabilities that servers declared after the handshake of this client. */
  #reportUntold(): void {
    const { current } = this.#shared.introduction
    const told = this.#told
    if (told === undefined || told === current) return
    this.#told = current
    this.#session?.reportLosses(untoldIn(told, current))
  }

  /**
   * Servers may list other items for clients that declare an extension. Such a client sees the lists of its own
   * conversations.
   */
  #clientLists(method: ListMethod, inbound: Inbound): ClientLists | undefined {
    const readers = this.#readersFor(inbound)
    if (eraOf(inbound.caller.version) === 'stateless') {
      return (upstream) =>
        this.#clientList(readers?.of(upstream, inbound) ?? upstream.pool.keptFor(inbound), upstream, inbound, method)
    }
    if (readers !== undefined)
      return (upstream) => this.#clientList(readers.of(upstream, inbound), upstream, inbound, method)
    const diverged = this.#diverged.get(kindOf(method))
    if (diverged === undefined || diverged.size === 0) return undefined
    return (upstream) =>
      diverged.has(upstream.name) ? this.#clientList(this.#links.known(upstream), upstream, inbound, method) : undefined
  }

  /**
   * Clients that shook hands share no lists. `undefined` for clients whose capabilities cannot change a list.
   */
  #readersFor({ caller }: Inbound): ListReaders | undefined {
    if (abilitiesOf(caller.capabilities).declaration === NO_ABILITIES) return undefined
    if (eraOf(caller.version) === 'stateless') return this.#state.readers
    this.#readers ??= new ListReaders()
    return this.#readers
  }

  /** Reads the tools that only this client sees. It reads a server again after its list of tools has changed. */
  async #readClientTools(inbound: Inbound): Promise<void> {
    const readers = this.#readersFor(inbound)
    const unread = [...this.#state.nameIndex.servers].filter((upstream) => readers?.lacksTools(upstream, inbound))
    if (readers === undefined || unread.length === 0) return
    const generations = unread.map((upstream) => [upstream, upstream.tools.generation] as const)
    await this.#state.lists.readAll('tools/list', this.#clientLists('tools/list', inbound))
    for (const [upstream, generation] of generations) readers.hasTools(upstream, inbound, generation)
  }

  #clientList(
    owner: object | undefined,
    upstream: Upstream,
    inbound: Inbound,
    method: ListMethod,
  ): ClientList | undefined {
    if (owner === undefined) return undefined
    const ask = async (params: Body): Promise<Body> => {
      const { endpoint, names } = await this.#links.to(upstream, inbound)
      const changes = { only: withIdentity(params, inbound) }
      return (await pipeline.run(new Call(inbound, PART, endpoint, { names, changes, method }))) as Body
    }
    return { owner, ask: (params) => this.#shared.running.during(upstream, () => ask(params)) }
  }

  /** Only servers that this client has used can have its tasks. */
  async #listTasks(inbound: Inbound): Promise<Body> {
    const sources = this.#links.all().map(({ upstream, endpoint, names }) => ({
      server: upstream.name,
      fetch: async (cursor?: string) => {
        if (!Object.hasOwn(upstream.introduction?.capabilities ?? {}, 'tasks')) return { items: [] }
        const changes = { only: cursor === undefined ? {} : { cursor } }
        const asking = async (): Promise<Body> =>
          (await pipeline.run(new Call(inbound, PART, endpoint, { names, changes }))) as Body
        const answer = await this.#shared.running.during(upstream, asking)
        const { tasks, nextCursor } = names.result('tasks/list', answer)
        return { items: tasks as Body[], nextCursor: nextCursor as string | undefined }
      },
    }))
    this.#taskLists ??= new MergedList({ clock: this.#state.clock, deadline: LIST_DEADLINE_MS, perAsker: true })
    const { items, nextCursor } = await this.#taskLists.page(sources, inbound.params['cursor'] as string | undefined)
    return nextCursor === undefined ? { tasks: items } : { tasks: items, nextCursor }
  }

  #followStatus(session: Session): Body {
    this.#statusFollowed ??= this.#shared.listeners.onStatus(() =>
      session.notify('notifications/resources/updated', { uri: STATUS_URI }),
    )
    return NOTHING
  }

  #changed(kind: ListKind, server: string): void {
    const diverged = this.#diverged.get(kind) ?? new Set()
    this.#diverged.set(kind, diverged.add(server))
    if (this.#session !== undefined) this.#shared.listeners.changed(kind, this.#session)
  }
}

/** The server of a call, and the name, URI or id there. */
function to({ upstream, nameAtServer }: Route, key: string): Routed {
  return { upstream, changes: { [key]: nameAtServer } }
}

/** Whether the answer needs the introductions of all servers. */
function isAboutAll(method: string): boolean {
  return method === 'initialize' || method === 'server/discover' || isListMethod(method) || method.startsWith('tasks/')
}

/** The metadata that selects the conversation of a client without a session, and declares its capabilities. */
const IDENTITY = [HANDLE_KEY, META.clientInfo, META.clientCapabilities] as const

function withIdentity(params: Body, { params: { _meta: meta } }: Inbound): Body {
  const said = IDENTITY.flatMap((key) => (isObject(meta) && meta[key] !== undefined ? [[key, meta[key]] as const] : []))
  return said.length === 0 ? params : { ...params, _meta: Object.fromEntries(said) }
}

function kindOf(method: ListMethod): ListKind {
  return method === 'resources/templates/list' ? 'resources' : (method.slice(0, method.indexOf('/')) as ListKind)
}

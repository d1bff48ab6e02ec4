/** What a client meets at the address of all servers: one server with the tools, resources and prompts of all. */
import { type Capabilities, eraOf, type LogLevel, logLevels, ParleyError, type Tool } from 'parley-mcp'
import {
  type Answer,
  type Body,
  costOfTexts,
  type Endpoint,
  type HeaderParam,
  type Inbound,
  type Introduction,
  isObject,
  META,
  type Session,
} from 'parley-mcp/engine'
import { type ServedUpstream, uriIn } from '../bridge/index.ts'
import { pipeline, reported, withoutExecution } from '../calls/index.ts'
import { MergedList, untoldIn } from '../catalogue/index.ts'
import {
  type ClientLog,
  type ClientSession,
  EMPTY_PROFILE,
  HANDLE_KEY,
  type ListKind,
  profileOf,
  toldTo,
  viaIn,
} from '../upstream/index.ts'
import { Followed } from './followed.ts'
import { ListReaders } from './list-readers.ts'
import { DEADLINE, isListMethod, type ListMethod, type OwnList, type OwnLists } from './lists.ts'
import { STATUS_RESOURCE, STATUS_URI, statusContents } from './status.ts'
import { Ways } from './ways.ts'
import type { Whole } from './whole.ts'

type Handler = (endpoint: AggregateEndpoint, inbound: Inbound) => Promise<Answer>
const NOTHING: Body = {}

export class AggregateEndpoint implements Endpoint {
  readonly takesForeignState = true
  readonly keepsDigits = true
  turnsAway: Endpoint['turnsAway']
  readonly #whole: Whole
  readonly #clientLog: ClientLog
  readonly #ways: Ways
  readonly #followed: Followed
  /** Servers whose list of a kind has changed in this client's own conversation: from then on it is read there. */
  readonly #diverged = new Map<ListKind, Set<string>>()
  /** Of a client that shook hands, and is shown lists of its own. */
  #readers: ListReaders | undefined
  #taskLists: MergedList<Body> | undefined
  /** Another gateway has asked here. */
  #isForGateways = false
  #session: Session | undefined
  /** What a client that shook hands was told of the servers. */
  #told: Introduction | undefined
  #statusFollowed: (() => void) | undefined

  constructor(whole: Whole, clientLog: ClientLog, client: ClientSession) {
    this.#whole = whole
    this.#clientLog = clientLog
    this.#ways = new Ways(whole, client, (kind, server) => this.#changed(kind, server))
    this.#followed = new Followed(this.#ways, whole)
  }

  /** What is for one server needs that one alone. */
  prepare(
    peer: Introduction | undefined,
    declared = peer?.capabilities,
    method = 'initialize',
  ): Promise<void> | undefined {
    const via = viaIn(declared)
    this.#whole.circles.refuse(via)
    if (via.length > 0) this.#isForGateways = true
    if (peer !== undefined) this.#ways.peer = peer
    return isAboutAll(method) ? this.#whole.grace.settled() : undefined
  }

  introduce(declared?: Capabilities): Introduction {
    const { current } = this.#whole.introduction
    return viaIn(declared).length > 0 ? this.#whole.circles.introduced(current) : toldTo(declared, current)
  }

  answer(inbound: Inbound): Promise<Answer> {
    const { method } = inbound
    if (eraOf(inbound.caller.version) === 'stateless') this.#clientLog.spoke(inbound)
    // Two gateways that met at the same moment did not know yet what is behind the other.
    if (this.#isForGateways) this.#whole.circles.refuse(viaIn(inbound.caller.capabilities))
    if (isListMethod(method)) return this.#list(method, inbound)
    const handler = Object.hasOwn(HANDLERS, method)
      ? HANDLERS[method]
      : method.startsWith('tasks/')
        ? askAboutTask
        : undefined
    if (handler !== undefined) return handler(this, inbound)
    const message = `${method.slice(0, 200)} does not say which server it is for; ask that server at its own address, /servers/NAME/mcp`
    return Promise.reject(new ParleyError('method_not_found', { message }))
  }

  tool(name: string): Body | undefined {
    const route = this.#whole.directory.knownTool(name)
    return route?.served.upstream.tools.definition(route.own) as Body | undefined
  }

  /** Of a tool that nobody has, the call itself says so. */
  async headerParams(name: string): Promise<readonly HeaderParam[]> {
    const route = await this.#whole.directory.tool(name).catch(() => undefined)
    return route === undefined ? [] : route.served.upstream.tools.headerParams(route.own)
  }

  notified(method: string, params: Body): void {
    for (const { endpoint } of this.#ways.all()) endpoint.notified(method, params)
  }

  opened(session: Session): void {
    this.#session = session
    this.#told = this.#whole.introduction.current
    this.#ways.session = session
    this.#whole.listeners.add(session, this.#followed)
  }

  closing(session: Session): void {
    this.#whole.listeners.endAll(session)
  }

  closed(session: Session): void {
    this.#whole.listeners.remove(session)
    this.#statusFollowed?.()
    this.#followed.end()
    this.#ways.closed(session)
  }

  serversChanged(): void {
    this.#ways.serversChanged()
    for (const servers of this.#diverged.values())
      for (const name of servers) if (this.#whole.offers.server(name) === undefined) servers.delete(name)
  }

  async callTool(inbound: Inbound): Promise<Answer> {
    const { served, own } = await this.#whole.directory.tool(inbound.params['name'], () => this.#readOwnTools(inbound))
    return this.#ways.send(inbound, served, { name: own })
  }

  async getPrompt(inbound: Inbound): Promise<Answer> {
    const { served, own } = await this.#whole.directory.prompt(inbound.params['name'])
    return this.#ways.send(inbound, served, { name: own })
  }

  async read(inbound: Inbound): Promise<Answer> {
    const { uri } = inbound.params
    if (uri === STATUS_URI) return statusContents([...this.#whole.offers.servers].map(({ upstream }) => upstream))
    const { served, own } = await this.#whole.directory.resource(uri)
    return this.#ways.send(inbound, served, { uri: own })
  }

  async complete(inbound: Inbound): Promise<Answer> {
    const ref: unknown = inbound.params['ref']
    if (!isObject(ref)) throw new ParleyError('invalid_params', { message: '"ref" must be an object' })
    const { directory } = this.#whole
    const [key, route] =
      ref['type'] === 'ref/prompt'
        ? ['name', await directory.prompt(ref['name'])]
        : ['uri', await directory.resource(ref['uri'])]
    return this.#ways.send(inbound, route.served, { ref: { ...ref, [key]: route.own } })
  }

  async setLevel(inbound: Inbound): Promise<Body> {
    const level = inbound.params['level'] as LogLevel
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    await this.#ways.setLevel(level)
    return NOTHING
  }

  async subscribe(inbound: Inbound): Promise<Answer> {
    const uri = uriIn(inbound.params)
    if (uri === STATUS_URI) return this.#followStatus(inbound.session)
    await this.#followed.add(uri, inbound.keep(costOfTexts([uri]), 'a subscription'))
    return NOTHING
  }

  async unsubscribe(inbound: Inbound): Promise<Answer> {
    const uri = uriIn(inbound.params)
    if (uri === STATUS_URI) {
      this.#statusFollowed?.()
      this.#statusFollowed = undefined
      return NOTHING
    }
    await this.#followed.remove(uri)
    return NOTHING
  }

  listen(inbound: Inbound): Promise<Answer> {
    return this.#whole.listeners.listen(inbound)
  }

  askAboutTask(inbound: Inbound): Promise<Answer> {
    if (inbound.method === 'tasks/list') return this.#listTasks(inbound)
    const { served, own } = this.#whole.directory.task(inbound.params['taskId'])
    return this.#ways.send(inbound, served, { taskId: own })
  }

  async #list(method: ListMethod, inbound: Inbound): Promise<Answer> {
    const { cursor } = inbound.params
    this.#reportUntold()
    const page = await this.#whole.lists.page(method, cursor, this.#ownLists(method, inbound))
    if (method === 'resources/list' && cursor === undefined)
      page['resources'] = [STATUS_RESOURCE, ...(page['resources'] as Body[])]
    if (method === 'tools/list' && eraOf(inbound.caller.version) === 'stateless')
      page['tools'] = (page['tools'] as Tool[]).map(withoutExecution)
    return reported(inbound, [], page)
  }

  /** Who sees in lists what a server has must not miss in silence what the server has declared. */
  #reportUntold(): void {
    const { current } = this.#whole.introduction
    const told = this.#told
    if (told === undefined || told === current) return
    this.#told = current
    this.#session?.reportLosses(untoldIn(told, current))
  }

  /**
   * Servers may list something else to clients that declare an extension: such a client sees the lists of its own
   * conversations.
   */
  #ownLists(method: ListMethod, inbound: Inbound): OwnLists | undefined {
    const readers = this.#readersFor(inbound)
    if (eraOf(inbound.caller.version) === 'stateless') {
      return (served) =>
        this.#ownList(readers?.of(served, inbound) ?? served.upstream.lines.keptFor(inbound), served, inbound, method)
    }
    if (readers !== undefined) return (served) => this.#ownList(readers.of(served, inbound), served, inbound, method)
    const diverged = this.#diverged.get(kindOf(method))
    if (diverged === undefined || diverged.size === 0) return undefined
    return (served) =>
      diverged.has(served.upstream.name) ? this.#ownList(this.#ways.known(served), served, inbound, method) : undefined
  }

  /**
   * Clients that shook hands share nothing they read. `undefined` for clients that declare nothing by which lists
   * differ.
   */
  #readersFor({ caller }: Inbound): ListReaders | undefined {
    if (profileOf(caller.capabilities).declaration === EMPTY_PROFILE) return undefined
    if (eraOf(caller.version) === 'stateless') return this.#whole.readers
    this.#readers ??= new ListReaders()
    return this.#readers
  }

  /** What only this client is shown is known afterwards. Nothing is read again before a list of tools changes. */
  async #readOwnTools(inbound: Inbound): Promise<void> {
    const readers = this.#readersFor(inbound)
    const unread = [...this.#whole.offers.servers].filter((served) => readers?.lacksTools(served, inbound))
    if (readers === undefined || unread.length === 0) return
    const generations = unread.map((served) => [served, served.upstream.tools.generation] as const)
    await this.#whole.lists.readAll('tools/list', this.#ownLists('tools/list', inbound))
    for (const [served, generation] of generations) readers.hasTools(served, inbound, generation)
  }

  #ownList(
    owner: object | undefined,
    served: ServedUpstream,
    inbound: Inbound,
    method: ListMethod,
  ): OwnList | undefined {
    if (owner === undefined) return undefined
    const ask = async (params: Body): Promise<Body> => {
      const { endpoint, words } = await this.#ways.to(served, inbound)
      const changes = { only: withIdentity(params, inbound) }
      return (await pipeline.run(endpoint.call(inbound, { names: words, changes, method }))) as Body
    }
    return { owner, ask: (params) => this.#whole.running.during(served, () => ask(params)) }
  }

  /** Of the servers this client has used: nobody else can have tasks of it. */
  async #listTasks(inbound: Inbound): Promise<Body> {
    const sources = this.#ways.all().map(({ served, endpoint, words }) => ({
      server: served.upstream.name,
      fetch: async (cursor?: string) => {
        if (!Object.hasOwn(served.upstream.introduction?.capabilities ?? {}, 'tasks')) return { items: [] }
        const changes = { only: cursor === undefined ? {} : { cursor } }
        const asking = async (): Promise<Body> =>
          (await pipeline.run(endpoint.call(inbound, { names: words, changes }))) as Body
        const answer = await this.#whole.running.during(served, asking)
        const { tasks, nextCursor } = words.result('tasks/list', answer)
        return { items: tasks as Body[], nextCursor: nextCursor as string | undefined }
      },
    }))
    this.#taskLists ??= new MergedList({ clock: this.#whole.clock, deadline: DEADLINE, perAsker: true })
    const { items, nextCursor } = await this.#taskLists.page(sources, inbound.params['cursor'] as string | undefined)
    return nextCursor === undefined ? { tasks: items } : { tasks: items, nextCursor }
  }

  #followStatus(session: Session): Body {
    this.#statusFollowed ??= this.#whole.listeners.onStatus(() =>
      session.notify('notifications/resources/updated', { uri: STATUS_URI }),
    )
    return NOTHING
  }

  #changed(kind: ListKind, server: string): void {
    const diverged = this.#diverged.get(kind) ?? new Set()
    this.#diverged.set(kind, diverged.add(server))
    if (this.#session !== undefined) this.#whole.listeners.changed(kind, this.#session)
  }
}

const askAboutTask: Handler = (endpoint, inbound) => endpoint.askAboutTask(inbound)

const HANDLERS: Readonly<Record<string, Handler>> = {
  'tools/call': (endpoint, inbound) => endpoint.callTool(inbound),
  'prompts/get': (endpoint, inbound) => endpoint.getPrompt(inbound),
  'resources/read': (endpoint, inbound) => endpoint.read(inbound),
  'resources/subscribe': (endpoint, inbound) => endpoint.subscribe(inbound),
  'resources/unsubscribe': (endpoint, inbound) => endpoint.unsubscribe(inbound),
  'completion/complete': (endpoint, inbound) => endpoint.complete(inbound),
  'logging/setLevel': (endpoint, inbound) => endpoint.setLevel(inbound),
  'subscriptions/listen': (endpoint, inbound) => endpoint.listen(inbound),
}

/** What is told, or refused, by what all servers say of themselves. */
function isAboutAll(method: string): boolean {
  return method === 'initialize' || method === 'server/discover' || isListMethod(method) || method.startsWith('tasks/')
}

/** By which a client without a session has its conversation, and says what it can do. */
const IDENTITY = [HANDLE_KEY, META.clientInfo, META.clientCapabilities] as const

function withIdentity(params: Body, { params: { _meta: meta } }: Inbound): Body {
  const said = IDENTITY.flatMap((key) => (isObject(meta) && meta[key] !== undefined ? [[key, meta[key]] as const] : []))
  return said.length === 0 ? params : { ...params, _meta: Object.fromEntries(said) }
}

function kindOf(method: ListMethod): ListKind {
  return method === 'resources/templates/list' ? 'resources' : (method.slice(0, method.indexOf('/')) as ListKind)
}

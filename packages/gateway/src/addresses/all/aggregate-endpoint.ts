/** One client's endpoint at the address of all servers: one server with the tools, resources and prompts of all. */
import { type Capabilities, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  type Body,
  costOfTexts,
  type Endpoint,
  type HeaderParam,
  type Inbound,
  type Introduction,
  isObject,
  type Session,
} from 'parley-mcp/engine'
import { type AggregateState, isListMethod, type Route } from '../../aggregate/index.ts'
import {
  type AllServers,
  Call,
  type CallOrigin,
  type CallSite,
  type Renaming,
  type Routed,
  STATUS_URI,
  uriIn,
} from '../../calls/index.ts'
import { untoldIn } from '../../catalogue/index.ts'
import type { FollowedResources } from '../../following/index.ts'
import {
  type ClientLog,
  type ClientSession,
  type ListKind,
  toldTo,
  type Upstream,
  viaIn,
} from '../../upstream/index.ts'
import type { AggregateShared } from './aggregate-shared.ts'
import { ClientListReader } from './client-list-reader.ts'
import { ServerLinks } from './server-links.ts'

const NOTHING: Body = {}

/** The name of the address of all servers in logs and counters. No server can have this name. */
export const ALL_SERVERS = '*'

export class AggregateEndpoint implements Endpoint, AllServers {
  readonly takesForeignState = true
  readonly keepsDigits = true
  readonly name = ALL_SERVERS
  readonly client: ClientSession
  readonly #shared: AggregateShared
  readonly #state: AggregateState
  readonly clientLog: ClientLog
  readonly #origin: CallOrigin = { kind: 'all', address: this }
  readonly #links: ServerLinks
  readonly #followed: FollowedResources
  readonly #lists: ClientListReader
  /** The client is another gateway. */
  #isForGateways = false
  #session: Session | undefined
  /** The introduction that a client got in its handshake. */
  #told: Introduction | undefined
  #statusFollowed: (() => void) | undefined

  constructor(shared: AggregateShared, clientLog: ClientLog, client: ClientSession) {
    this.#shared = shared
    this.client = client
    this.#state = shared.state
    this.clientLog = clientLog
    this.#links = new ServerLinks(shared, client, (kind, server) => this.#changed(kind, server))
    this.#lists = new ClientListReader(shared, this.#links, { kind: 'part', address: this })
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
    return this.#shared.pipeline.run(new Call(inbound, this.#origin))
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
    this.#lists.serversChanged()
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
    if (!isListMethod(inbound.method)) return this.#lists.listTasks(inbound)
    this.#reportUntold()
    return this.#lists.list(inbound.method, inbound)
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
        return to(await directory.tool(params['name'], () => this.#lists.readTools(inbound)), 'name')
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

  begin(upstream: Upstream): () => void {
    return this.#shared.running.begin(this.#links.current(upstream))
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

  /** Reports capabilities that servers declared after the handshake of this client. */
  #reportUntold(): void {
    const { current } = this.#shared.introduction
    const told = this.#told
    if (told === undefined || told === current) return
    this.#told = current
    this.#session?.reportLosses(untoldIn(told, current))
  }

  #followStatus(session: Session): Body {
    this.#statusFollowed ??= this.#shared.listeners.onStatus(() =>
      session.notify('notifications/resources/updated', { uri: STATUS_URI }),
    )
    return NOTHING
  }

  #changed(kind: ListKind, server: string): void {
    this.#lists.diverged(kind, server)
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

/**
 * The lists of all servers as one, in pages and within a deadline. While a server gives no list, clients see what it gave
 * last.
 */
import { isDeepStrictEqual } from 'node:util'
import { ParleyError } from 'parley-mcp'
import { type Body, type Clock, isObject, systemMint, weightOf } from 'parley-mcp/engine'
import { decidesOnTasks, withExecution } from '../calls/index.ts'
import { type ListNote, type ListSource, MergedList, type MergedPage, PageReader } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { ListKind, Upstream } from '../upstream/index.ts'
import { CommonResources } from './common-resources.ts'
import type { NameIndex } from './name-index.ts'
import { ResourceDiscovery, type UnreadLists } from './resource-discovery.ts'
import type { StartupWait } from './startup-wait.ts'
import { RESOURCE_METHODS, type ResourceMethod, UnreadServers } from './unread-servers.ts'

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

/** By method: the member of its result, and the capability that a server needs for it. */
const LISTS: Readonly<Record<ListMethod, { readonly field: string; readonly kind: ListKind }>> = {
  'tools/list': { field: 'tools', kind: 'tools' },
  'prompts/list': { field: 'prompts', kind: 'prompts' },
  'resources/list': { field: 'resources', kind: 'resources' },
  'resources/templates/list': { field: 'resourceTemplates', kind: 'resources' },
}
const METHODS = Object.keys(LISTS) as ListMethod[]
/** How long one server may delay a list of all, in milliseconds. */
export const LIST_DEADLINE_MS = 5000
/** Of one list of one server. */
const MAX_PAGES = 1000
/** Of one list that is read to its end, approximately. */
const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_LOGGED_PROBLEMS = 1000

export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(LISTS, method)
}

/** An item as its server lists it. */
export interface Listed {
  readonly server: string
  readonly item: Body
}

/** A page of one server. */
interface Fetched {
  readonly items: Listed[]
  readonly nextCursor?: string
}

/** Requests one page of a server, as clients may see it. */
type Ask = (params: Body) => Promise<Body>

/** The list of one server in one client's own conversation. */
export interface ClientList {
  /** The pages are remembered as long as this object lives. */
  readonly owner: object
  readonly ask: Ask
}

/**
 * Returns the client's own list of a server, or `undefined` where the client sees the same list as all others.
 */
export type ClientLists = (upstream: Upstream) => ClientList | undefined

export interface ListsOptions {
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly log: GatewayLog
  readonly clock: Clock
  /** Called when a part that was missing in a list has arrived. */
  readonly onLate: (kind: ListKind) => void
}

/** The remembered pages of one conversation. */
interface ClientListMemory {
  /** Cursors carry it to name their conversation. */
  readonly id: string
  readonly readers: Map<ListMethod, PageReader<Listed>>
}

export class Lists {
  readonly #options: ListsOptions
  readonly #merged: ReadonlyMap<ListMethod, MergedList<Listed>>
  readonly #memories = new WeakMap<object, ClientListMemory>()
  /** By method and server: the problem in the log. */
  readonly #said = new Map<string, string>()
  /** Servers that replaced another of the same name and were not reached yet. The lists of the other are remembered. */
  readonly #replacements = new Set<Upstream>()
  readonly #unreadServers: UnreadServers
  readonly #common: CommonResources
  readonly #discovery: ResourceDiscovery

  constructor(options: ListsOptions) {
    this.#options = options
    const reading = {
      ...options,
      deadline: LIST_DEADLINE_MS,
      read: (method: ListMethod, upstream: Upstream) => this.read(method, upstream),
    }
    this.#unreadServers = new UnreadServers(reading)
    this.#common = new CommonResources(reading)
    const { clock } = options
    this.#discovery = new ResourceDiscovery({
      clock,
      deadline: LIST_DEADLINE_MS,
      servers: () => this.#asked('resources/list'),
      readAll: (method) => this.readAll(method),
      markRead: (upstream, method) => this.#unreadServers.markRead(upstream, method),
    })
    this.#merged = new Map(
      METHODS.map((method) => [
        method,
        new MergedList<Listed>({ clock, deadline: LIST_DEADLINE_MS, onLate: () => this.#late(method) }),
      ]),
    )
  }

  async page(method: ListMethod, cursor: unknown, clientLists?: ClientLists): Promise<Body> {
    if (cursor !== undefined && typeof cursor !== 'string')
      throw new ParleyError('invalid_params', { message: '"cursor" must be a string' })
    if (!isAboutResources(method)) return this.#shown(method, await this.#collect(method, cursor, clientLists))
    for (const other of RESOURCE_METHODS) if (other !== method) this.#unreadServers.begin(other)
    const apart: Upstream[] = []
    const page = await this.#collect(method, cursor, clientLists, apart)
    const last = page.items.at(-1)?.server
    if (last !== undefined) {
      const shown = new Set(page.items.map(({ server }) => server))
      await Promise.all(apart.map((upstream) => shown.has(upstream.name) && this.#common.known(upstream)))
      this.#unreadServers.markReadBefore(last, method)
      await this.#unreadServers.waitForServersBefore(last)
    }
    return this.#shown(method, page)
  }

  /**
   * Items stand in the order of the configuration: the servers before that of an item were asked first. Adds to `apart`
   * the servers that show the client a list of its own.
   */
  async #collect(
    method: ListMethod,
    cursor: string | undefined,
    clientLists?: ClientLists,
    apart: Upstream[] = [],
  ): Promise<MergedPage<Listed>> {
    const asked = this.#asked(method)
    const sources = asked.map((upstream): ListSource<Listed> => {
      const list = clientLists?.(upstream)
      if (list !== undefined) apart.push(upstream)
      return {
        server: upstream.name,
        isRestarting: isRestarting(upstream),
        fetch: (place) => this.#fetchInTime(upstream, method, place),
        clientList: list && {
          ...this.#memoryOf(list.owner, method),
          fetch: (place) => this.#fetchInTime(upstream, method, place, list.ask),
        },
      }
    })
    const page = await (this.#merged.get(method) as MergedList<Listed>).page(sources, cursor)
    for (const upstream of asked) if (upstream.introduction === undefined) this.#options.startupWait.end(upstream)
    this.#say(method, sources, page.notes)
    return page
  }

  #memoryOf(owner: object, method: ListMethod): { id: string; memory: PageReader<Listed> } {
    const known = this.#memories.get(owner) ?? { id: systemMint(), readers: new Map<ListMethod, PageReader<Listed>>() }
    this.#memories.set(owner, known)
    let memory = known.readers.get(method)
    if (memory === undefined) {
      const onLate = (): void => this.#late(method)
      memory = new PageReader({
        clock: this.#options.clock,
        deadline: LIST_DEADLINE_MS,
        maxKnown: MAX_PAGES,
        onLate,
        perAsker: true,
      })
      known.readers.set(method, memory)
    }
    return { id: known.id, memory }
  }

  #late(method: ListMethod): void {
    this.#options.onLate(LISTS[method].kind)
  }

  #shown(method: ListMethod, { items, nextCursor }: MergedPage<Listed>): Body {
    const shown = items.map(({ server, item }) => this.#options.nameIndex.shown(server, method, item))
    return { [LISTS[method].field]: shown, ...(nextCursor === undefined ? {} : { nextCursor }) }
  }

  /** Reads the whole list of one server, up to the limits, so that its names are known. */
  async read(method: ListMethod, upstream: Upstream): Promise<void> {
    const { name } = upstream
    const seen = new Set<string>()
    let room = MAX_LIST_BYTES
    let place: string | undefined
    let problem: string | undefined
    while (problem === undefined) {
      const { items, nextCursor } = await this.#fetch(upstream, method, place)
      if (nextCursor === undefined) break
      room -= weightOf([items, nextCursor], MAX_LIST_BYTES)
      if (seen.has(nextCursor)) problem = 'gave the same cursor twice; its list would never end and was cut there'
      else if (seen.size + 1 >= MAX_PAGES || room < 0) problem = 'is too long; the gateway goes by its beginning'
      seen.add(nextCursor)
      place = nextCursor
    }
    if (problem !== undefined) this.#say(method, [{ server: name }], [{ server: name, problem }])
  }

  /** Resolves when the resources of all servers before this one are known, or their time is over. */
  waitForServersBefore(server: string): Promise<void> {
    return this.#unreadServers.waitForServersBefore(server)
  }

  /** Resolves when the reached servers have listed their resources: all of them, or those up to `last`. */
  waitForReached(last?: string): Promise<void> {
    return this.#unreadServers.waitForReached(last)
  }

  /** Reads the resources of all servers for a URI that no server has listed yet, until it is `found`. */
  discoverResources(found: (unread: UnreadLists) => boolean): Promise<void> {
    return this.#discovery.discover(found)
  }

  /**
   * A server was removed or replaced. Clients see the remembered lists until the new server is reached. If the settings
   * for its tools changed, the lists are forgotten at once, because the settings may hide a tool now.
   */
  replaced(upstream: Upstream, successor: Upstream | undefined): void {
    if (successor !== undefined && isDeepStrictEqual(upstream.config.tools, successor.config.tools))
      this.#replacements.add(successor)
    else this.#forget(upstream.name)
  }

  setServers(servers: readonly Upstream[]): void {
    this.#unreadServers.setServers(servers)
    for (const replacement of this.#replacements)
      if (!servers.includes(replacement)) this.#replacements.delete(replacement)
    this.resourcesChanged()
  }

  /** The resources that were read may not be complete any more. */
  resourcesChanged(): void {
    this.#discovery.reset()
    this.#common.changed()
  }

  /** Servers that have such a list, or may have it. A server that was not reached in time is started, but not awaited. */
  #asked(method: ListMethod): Upstream[] {
    const { nameIndex, startupWait } = this.#options
    const asked: Upstream[] = []
    for (const upstream of nameIndex.servers) {
      const { introduction } = upstream
      if (introduction !== undefined && this.#replacements.delete(upstream)) this.#forget(upstream.name)
      const isAwaited = introduction === undefined && !startupWait.isOver(upstream)
      if (introduction === undefined && !isAwaited && upstream.supervisor.unavailable() === undefined)
        upstream.gatewayConversation().catch(() => {})
      if (
        introduction === undefined
          ? isAwaited || this.#replacements.has(upstream)
          : Object.hasOwn(introduction.capabilities, LISTS[method].kind)
      )
        asked.push(upstream)
    }
    return asked
  }

  #forget(server: string): void {
    for (const merged of this.#merged.values()) merged.forget(server)
  }

  /** The list was read, or cannot be read now. */
  #wasRead(upstream: Upstream, method: ListMethod): void {
    const server = upstream.name
    if (isAboutResources(method)) this.#unreadServers.markRead(upstream, method)
    this.#discovery.wasRead(server, method)
  }

  async readAll(method: ListMethod, clientLists?: ClientLists): Promise<void> {
    let cursor: string | undefined
    for (let count = 0; count < MAX_PAGES; count++) {
      const page = await this.#collect(method, cursor, clientLists)
      // The result is not used, but this logs the problems of the list.
      this.#shown(method, page)
      if (page.nextCursor === undefined) return
      cursor = page.nextCursor
    }
  }

  /** A server that was not reached yet has the time of `startupWait`, not the deadline of a list. */
  async #fetchInTime(upstream: Upstream, method: ListMethod, cursor: string | undefined, ask?: Ask): Promise<Fetched> {
    const { startupWait } = this.#options
    const chance = startupWait.overFor(upstream)
    if (chance !== undefined) await chance
    const isMissed = chance !== undefined || (this.#replacements.has(upstream) && startupWait.isOver(upstream))
    if (!isMissed || upstream.introduction !== undefined) return this.#fetch(upstream, method, cursor, ask)
    this.#wasRead(upstream, method)
    throw new ParleyError('refusal_unavailable', { message: 'it was not reached in time' })
  }

  /** `ask`: for a list of one client alone, from which nothing is learned for other clients. */
  async #fetch(upstream: Upstream, method: ListMethod, cursor: string | undefined, ask?: Ask): Promise<Fetched> {
    const { name } = upstream
    let nextCursor: unknown
    try {
      const params: Body = cursor === undefined ? {} : { cursor }
      const result = await (ask?.(params) ?? askGateway(upstream, method, params))
      const { [LISTS[method].field]: items } = result
      if (!Array.isArray(items))
        throw new ParleyError('invalid_answer', { message: `${method} was answered without ${LISTS[method].field}` })
      nextCursor = result['nextCursor']
      const part = ask === undefined ? { cursor, nextCursor } : undefined
      const kept = this.#options.nameIndex
        .learn(name, method, items.filter(isObject), part)
        .map((item): Listed => ({ server: name, item }))
      return typeof nextCursor === 'string' ? { items: kept, nextCursor } : { items: kept }
    } finally {
      if (ask === undefined && typeof nextCursor !== 'string') this.#wasRead(upstream, method)
    }
  }

  /** Logs each problem once, until it changes. */
  #say(method: ListMethod, sources: readonly { readonly server: string }[], notes: readonly ListNote[]): void {
    const problems = new Map(notes.map(({ server, problem }) => [server, problem]))
    for (const { server } of sources) {
      const key = `${method} ${server}`
      const problem = problems.get(server)
      if (problem === undefined) this.#said.delete(key)
      else if (this.#said.get(key) !== problem) {
        if (this.#said.size >= MAX_LOGGED_PROBLEMS) this.#said.clear()
        this.#said.set(key, problem)
        this.#options.log.warning(`${server}: ${method}: ${problem}`, { server })
      }
    }
  }
}

function isAboutResources(method: ListMethod): method is ResourceMethod {
  return LISTS[method].kind === 'resources'
}

/** It was reached before, and its supervisor starts it again. */
function isRestarting({ introduction, anyConversation, supervisor }: Upstream): boolean {
  if (introduction === undefined || anyConversation !== undefined) return false
  const { state } = supervisor.status()
  return state === 'restarting' || state === 'starting'
}

/** The list in the gateway's own conversation, which is the same for all clients. */
async function askGateway(upstream: Upstream, method: ListMethod, params: Body): Promise<Body> {
  upstream.demandUp()
  const kept = upstream.config.cache ? upstream.resultCache.find(method, params, undefined) : undefined
  const result = kept ?? (await fetchForGateway(upstream, method, params))
  if (method !== 'tools/list' || !Array.isArray(result['tools'])) return result
  const tools = upstream.tools.shown(result['tools'])
  return { ...result, tools: decidesOnTasks(upstream) ? tools.map(withExecution) : tools }
}

async function fetchForGateway(upstream: Upstream, method: ListMethod, params: Body): Promise<Body> {
  // The capabilities of a server that is away are not known.
  const line = await upstream.readyGatewayConversation()
  if (!line.client.session.can(method)) return { [LISTS[method].field]: [] }
  const { resultCache, config } = upstream
  const generation = resultCache.generationOf(method)
  const result = await upstream.bulkhead.run(() => line.request(method, params, {}))
  if (config.cache) resultCache.keep(method, params, undefined, result, generation)
  return result
}

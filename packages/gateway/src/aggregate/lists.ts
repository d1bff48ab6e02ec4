/**
 * The lists of all servers as one: in pages, within a deadline, and with what a server gave last while it gives
 * nothing.
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
import type { StartupWait } from './startup-wait.ts'
import { RESOURCE_METHODS, type ResourceMethod, UnreadServers } from './unread-servers.ts'

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

/** By method: the member of its result, and the capability without which nobody is asked. */
const LISTS: Readonly<Record<ListMethod, { readonly field: string; readonly kind: ListKind }>> = {
  'tools/list': { field: 'tools', kind: 'tools' },
  'prompts/list': { field: 'prompts', kind: 'prompts' },
  'resources/list': { field: 'resources', kind: 'resources' },
  'resources/templates/list': { field: 'resourceTemplates', kind: 'resources' },
}
const METHODS = Object.keys(LISTS) as ListMethod[]
/** How long one server may delay a list of all, in milliseconds. */
export const LIST_DEADLINE_MS = 5000
const MAX_PAGES = 1000
/** Of the list of one server that is read in one go, about. */
const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_LOGGED_PROBLEMS = 1000

export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(LISTS, method)
}

/** An item in the words of its server. */
export interface Listed {
  readonly server: string
  readonly item: Body
}

/** A page of one server. */
interface Fetched {
  readonly items: Listed[]
  readonly nextCursor?: string
}

/** Asks a server for one page, as its clients may see it. */
type Ask = (params: Body) => Promise<Body>

/** The list of a server as one client's own conversation shows it. */
export interface ClientList {
  /** What is remembered of it is remembered for as long as there is this one. */
  readonly owner: object
  readonly ask: Ask
}

/**
 * Where one client's conversations show other lists than the gateway's own; `undefined` where it sees what everybody
 * does.
 */
export type ClientLists = (upstream: Upstream) => ClientList | undefined

export interface ListsOptions {
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly log: GatewayLog
  readonly clock: Clock
  /** What a list was given without has come after all. */
  readonly onLate: (kind: ListKind) => void
}

/** What is remembered of the lists of one conversation. */
interface ClientListMemory {
  /** By which cursors say whose they are. */
  readonly id: string
  readonly readers: Map<ListMethod, PageReader<Listed>>
}

/** By server: its lists that have not been read to their end. */
type Unread = Map<string, Set<ListMethod>>

interface Discovery {
  readonly done: Promise<unknown>
  readonly unread: Unread
  /** When it was over. */
  over: number
}

export class Lists {
  readonly #options: ListsOptions
  readonly #merged: ReadonlyMap<ListMethod, MergedList<Listed>>
  readonly #memories = new WeakMap<object, ClientListMemory>()
  /** What was last said of a list of a server. */
  readonly #said = new Map<string, string>()
  /** Servers that were not reached yet, and of whose predecessors the lists are remembered. */
  readonly #replacements = new Set<Upstream>()
  readonly #unreadServers: UnreadServers
  readonly #common: CommonResources
  #discovery: Discovery | undefined
  /** Whoever waits for a resource to be shown. */
  readonly #waiting = new Set<() => void>()

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
   * Items stand in the order of the configuration: when one is given, all servers before its own were asked. To `apart`
   * those are added that show the client a list of its own.
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

  /** Reads the whole list of one server, or as much as a list may be; its names are known then. */
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

  /** Resolves when nobody in front of a server can turn out to offer what it offers. */
  waitForServersBefore(server: string): Promise<void> {
    return this.#unreadServers.waitForServersBefore(server)
  }

  /** Resolves when the reached servers have listed their resources: all of them, or those up to `last`. */
  waitForReached(last?: string): Promise<void> {
    return this.#unreadServers.waitForReached(last)
  }

  /**
   * Reads what resources there are, for a URI that nobody has shown yet, until it is `found`. Not for every such URI
   * anew, and nobody waits longer than for a list, or for servers that have nothing to do with it.
   */
  async discoverResources(found: (unread: Unread) => boolean): Promise<void> {
    const { clock } = this.#options
    if (this.#discovery === undefined || clock.now() - this.#discovery.over >= LIST_DEADLINE_MS)
      this.#discovery = this.#discover()
    const { done, unread } = this.#discovery
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stop()
        this.#waiting.delete(look)
        resolve()
      }
      const look = (): void => {
        if (found(unread)) end()
      }
      const stop = clock.after(LIST_DEADLINE_MS, end)
      this.#waiting.add(look)
      void done.then(end)
    })
  }

  /**
   * A server is gone, or another has come in its place. What is remembered of it is shown until that one was reached,
   * unless the settings say otherwise which tools are shown: what they hide must not be seen any longer.
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

  /** What was read may not be all any more. */
  resourcesChanged(): void {
    this.#discovery = undefined
    this.#common.changed()
  }

  /** Who has such a list, or may have. Who had a chance to be reached and was not is started, but not waited for. */
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

  #discover(): Discovery {
    const asked = this.#asked('resources/list')
    const unread: Unread = new Map(asked.map((upstream) => [upstream.name, new Set<ListMethod>(RESOURCE_METHODS)]))
    const discovery: Discovery = { unread, done: Promise.resolve(), over: Number.POSITIVE_INFINITY }
    // Known before anything is read: servers may answer at once.
    this.#discovery = discovery
    const done = Promise.allSettled(RESOURCE_METHODS.map((method) => this.readAll(method))).then(() => {
      discovery.over = this.#options.clock.now()
      for (const upstream of asked)
        for (const method of RESOURCE_METHODS) this.#unreadServers.markRead(upstream, method)
    })
    return Object.assign(discovery, { done })
  }

  /** Nothing more will come of it, for now. */
  #wasRead(upstream: Upstream, method: ListMethod): void {
    const server = upstream.name
    if (isAboutResources(method)) this.#unreadServers.markRead(upstream, method)
    const unread = this.#discovery?.unread
    const lists = unread?.get(server)
    if (lists?.delete(method) && lists.size === 0) unread?.delete(server)
    for (const look of [...this.#waiting]) look()
  }

  async readAll(method: ListMethod, clientLists?: ClientLists): Promise<void> {
    let cursor: string | undefined
    for (let count = 0; count < MAX_PAGES; count++) {
      const page = await this.#collect(method, cursor, clientLists)
      // Not to show it to anybody, but what is wrong with it is said then.
      this.#shown(method, page)
      if (page.nextCursor === undefined) return
      cursor = page.nextCursor
    }
  }

  /** One that nobody has reached yet is waited for as long as for its introduction, not as long as for a list. */
  async #fetchInTime(upstream: Upstream, method: ListMethod, cursor: string | undefined, ask?: Ask): Promise<Fetched> {
    const { startupWait } = this.#options
    const chance = startupWait.overFor(upstream)
    if (chance !== undefined) await chance
    const isMissed = chance !== undefined || (this.#replacements.has(upstream) && startupWait.isOver(upstream))
    if (!isMissed || upstream.introduction !== undefined) return this.#fetch(upstream, method, cursor, ask)
    this.#wasRead(upstream, method)
    throw new ParleyError('refusal_unavailable', { message: 'it was not reached in time' })
  }

  /** What one client alone is shown says nothing of what there is for the others. */
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

  /** Once, until it is something else. */
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

/** It was there, and comes back without being asked. */
function isRestarting({ introduction, anyConversation, supervisor }: Upstream): boolean {
  if (introduction === undefined || anyConversation !== undefined) return false
  const { state } = supervisor.status()
  return state === 'restarting' || state === 'starting'
}

/** What the gateway itself is shown, which is what everybody is. */
async function askGateway(upstream: Upstream, method: ListMethod, params: Body): Promise<Body> {
  upstream.demandUp()
  const kept = upstream.config.cache ? upstream.resultCache.find(method, params, undefined) : undefined
  const result = kept ?? (await fetchForGateway(upstream, method, params))
  if (method !== 'tools/list' || !Array.isArray(result['tools'])) return result
  const tools = upstream.tools.shown(result['tools'])
  return { ...result, tools: decidesOnTasks(upstream) ? tools.map(withExecution) : tools }
}

async function fetchForGateway(upstream: Upstream, method: ListMethod, params: Body): Promise<Body> {
  // While it is away, nobody knows what it can do.
  const line = await upstream.readyGatewayConversation()
  if (!line.client.session.can(method)) return { [LISTS[method].field]: [] }
  const { resultCache, config } = upstream
  const generation = resultCache.generationOf(method)
  const result = await upstream.bulkhead.run(() => line.request(method, params, {}))
  if (config.cache) resultCache.keep(method, params, undefined, result, generation)
  return result
}

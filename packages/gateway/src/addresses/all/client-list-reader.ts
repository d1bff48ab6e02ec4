/** Reads the lists that one client of all servers sees, where they may differ from those of other clients. */
import { eraOf, type Tool } from 'parley-mcp'
import { type Answer, type Body, HANDLE_KEY, type Inbound, isObject, META } from 'parley-mcp/engine'
import {
  type AggregateState,
  type ClientList,
  type ClientLists,
  LIST_DEADLINE_MS,
  type ListMethod,
  ListReaders,
} from '../../aggregate/index.ts'
import { Call, type CallOrigin, reported, STATUS_RESOURCE, withoutExecution } from '../../calls/index.ts'
import { MergedList } from '../../catalogue/index.ts'
import { abilitiesOf, type ListKind, NO_ABILITIES, type Upstream } from '../../upstream/index.ts'
import type { AggregateShared } from './aggregate-shared.ts'
import type { ServerLinks } from './server-links.ts'

export class ClientListReader {
  readonly #shared: AggregateShared
  readonly #state: AggregateState
  readonly #links: ServerLinks
  readonly #part: CallOrigin
  /** Servers whose list of a kind changed in this client's own conversation. The gateway then reads the list there. */
  readonly #diverged = new Map<ListKind, Set<string>>()
  /** Set for a client that shook hands and sees lists of its own. */
  #readers: ListReaders | undefined
  #taskLists: MergedList<Body> | undefined

  /** `part`: the origin of the requests that the gateway sends to each server in turn. */
  constructor(shared: AggregateShared, links: ServerLinks, part: CallOrigin) {
    this.#part = part
    this.#shared = shared
    this.#state = shared.state
    this.#links = links
  }

  async list(method: ListMethod, inbound: Inbound): Promise<Answer> {
    const { cursor } = inbound.params
    const page = await this.#state.lists.page(method, cursor, this.#clientLists(method, inbound))
    if (method === 'resources/list' && cursor === undefined)
      page['resources'] = [STATUS_RESOURCE, ...(page['resources'] as Body[])]
    if (method === 'tools/list' && eraOf(inbound.caller.version) === 'stateless')
      page['tools'] = (page['tools'] as Tool[]).map(withoutExecution)
    return reported(inbound, [], page)
  }

  /** Only servers that this client has used can have its tasks. */
  async listTasks(inbound: Inbound): Promise<Body> {
    const sources = this.#links.all().map(({ upstream, endpoint, names }) => ({
      server: upstream.name,
      fetch: async (cursor?: string) => {
        if (!Object.hasOwn(upstream.introduction?.capabilities ?? {}, 'tasks')) return { items: [] }
        const changes = { only: cursor === undefined ? {} : { cursor } }
        const asking = async (): Promise<Body> =>
          (await this.#shared.pipeline.run(new Call(inbound, this.#part, endpoint, { names, changes }))) as Body
        const answer = await this.#shared.running.during(upstream, asking)
        const { tasks, nextCursor } = names.result('tasks/list', answer)
        return { items: tasks as Body[], nextCursor: nextCursor as string | undefined }
      },
    }))
    this.#taskLists ??= new MergedList({ clock: this.#state.clock, deadline: LIST_DEADLINE_MS, perAsker: true })
    const { items, nextCursor } = await this.#taskLists.page(sources, inbound.params['cursor'] as string | undefined)
    return nextCursor === undefined ? { tasks: items } : { tasks: items, nextCursor }
  }

  /** Reads the tools that only this client sees. It reads a server again after its list of tools has changed. */
  async readTools(inbound: Inbound): Promise<void> {
    const readers = this.#readersFor(inbound)
    const unread = [...this.#state.nameIndex.servers].filter((upstream) => readers?.lacksTools(upstream, inbound))
    if (readers === undefined || unread.length === 0) return
    const generations = unread.map((upstream) => [upstream, upstream.tools.generation] as const)
    await this.#state.lists.readAll('tools/list', this.#clientLists('tools/list', inbound))
    for (const [upstream, generation] of generations) readers.hasTools(upstream, inbound, generation)
  }

  /** The list of this kind has changed in the client's own conversation with the server. */
  diverged(kind: ListKind, server: string): void {
    const servers = this.#diverged.get(kind) ?? new Set()
    this.#diverged.set(kind, servers.add(server))
  }

  serversChanged(): void {
    for (const servers of this.#diverged.values())
      for (const name of servers) if (this.#state.nameIndex.server(name) === undefined) servers.delete(name)
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
      return (await this.#shared.pipeline.run(
        new Call(inbound, this.#part, endpoint, { names, changes, method }),
      )) as Body
    }
    return { owner, ask: (params) => this.#shared.running.during(upstream, () => ask(params)) }
  }
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

/** What all servers offer together: names and URIs that lead back to one of them, and their lists as one. */
import { ParleyError, type Prompt, type Resource, type ResourceTemplate, type Tool } from 'parley-mcp'
import { type Body, type Clock, isObject } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import { type ListSource, MergedList, NameTable, UriTable } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Upstream } from '../upstream/index.ts'
import { STATUS_RESOURCE } from './status.ts'

type Named = (Tool | Prompt) & { name: string }
type Method = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

/** By method: the member of its result, and the capability without which nobody is asked. */
const LISTS: Readonly<Record<Method, { readonly field: string; readonly needs: string }>> = {
  'tools/list': { field: 'tools', needs: 'tools' },
  'prompts/list': { field: 'prompts', needs: 'prompts' },
  'resources/list': { field: 'resources', needs: 'resources' },
  'resources/templates/list': { field: 'resourceTemplates', needs: 'resources' },
}
/** How long one server may delay a list of all, in milliseconds. */
const DEADLINE = 5000

export interface Route {
  readonly served: ServedUpstream
  /** The name or URI at the server. */
  readonly own: string
}

export class Directory {
  readonly #servers: () => readonly ServedUpstream[]
  readonly #log: GatewayLog
  readonly #tools = new NameTable([])
  readonly #prompts = new NameTable([])
  readonly #uris = new UriTable([])
  readonly #lists: Readonly<Record<Method, MergedList<Body>>>
  /** By server: what its lists have shown so far. */
  readonly #resources = new Map<string, Set<string>>()
  readonly #templates = new Map<string, Set<string>>()
  #known = ''

  constructor(servers: () => readonly ServedUpstream[], log: GatewayLog, clock: Clock) {
    this.#servers = servers
    this.#log = log
    const list = (): MergedList<Body> => new MergedList<Body>({ clock, deadline: DEADLINE })
    this.#lists = { 'tools/list': list(), 'prompts/list': list(), 'resources/list': list(), 'resources/templates/list': list() }
  }

  isList(method: string): method is Method {
    return Object.hasOwn(LISTS, method)
  }

  /** One page of a list of all servers. */
  async page(method: Method, cursor: unknown): Promise<Body> {
    if (cursor !== undefined && typeof cursor !== 'string') throw new ParleyError('invalid_params', { message: '"cursor" must be a string' })
    this.#refresh()
    const { field, needs } = LISTS[method]
    const able = this.#servers().filter(({ upstream }) => upstream.introduction === undefined || Object.hasOwn(upstream.introduction.capabilities, needs))
    const sources = able.map(({ upstream }): ListSource<Body> => ({ server: upstream.name, fetch: (place) => this.#fetch(upstream, method, place) }))
    const { items, nextCursor, notes } = await this.#lists[method].page(sources, cursor)
    for (const { server, problem } of notes) this.#log.warning(`${server}: ${method}: ${problem}`, { server })
    const own = method === 'resources/list' && cursor === undefined ? [STATUS_RESOURCE as Body] : []
    return { [field]: [...own, ...items], ...(nextCursor === undefined ? {} : { nextCursor }) }
  }

  tool(name: unknown): Promise<Route> {
    return this.#byName(this.#tools, 'tools/list', 'tool_not_found', 'tool', name)
  }

  prompt(name: unknown): Promise<Route> {
    return this.#byName(this.#prompts, 'prompts/list', 'prompt_not_found', 'prompt', name)
  }

  /** Without asking anybody. */
  knownTool(name: string): Route | undefined {
    this.#refresh()
    const found = this.#tools.find(name)
    const served = this.#find(found?.server)
    return served === undefined || found?.name === undefined ? undefined : { served, own: found.name }
  }

  /** Nobody may have read the lists since the gateway was started; then they are read now. */
  async resource(uri: unknown): Promise<Route> {
    if (typeof uri !== 'string') throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
    this.#refresh()
    let routed = this.#uris.route(uri)
    if (routed === undefined) {
      await Promise.all([this.#all('resources/list'), this.#all('resources/templates/list')])
      routed = this.#uris.route(uri)
    }
    const served = this.#find(routed?.server)
    if (served === undefined || routed === undefined)
      throw new ParleyError('resource_not_found', { message: `Resource not found: ${uri.slice(0, 200)}`, data: { uri } })
    return { served, own: routed.uri }
  }

  publicUri(server: string, uri: string): string {
    return this.#uris.publicUri(server, uri)
  }

  /** A result with the URIs clients know: what it links to stays reachable. */
  shown(server: string, result: Body): Body {
    const mention = (value: unknown): unknown => {
      if (!isObject(value)) return value
      const link = value['type'] === 'resource_link' || value['type'] === undefined
      if (link && typeof value['uri'] === 'string') {
        const uri = this.#uris.mention(server, value['uri'])
        return uri === value['uri'] ? value : { ...value, uri }
      }
      if (value['type'] !== 'resource' || !isObject(value['resource'])) return value
      const resource = mention(value['resource'])
      return resource === value['resource'] ? value : { ...value, resource }
    }
    let shown = result
    for (const field of ['content', 'contents', 'messages'] as const) {
      const list = result[field]
      if (!Array.isArray(list)) continue
      const mapped = list.map((each) => {
        if (field !== 'messages' || !isObject(each)) return mention(each)
        const content = mention(each['content'])
        return content === each['content'] ? each : { ...each, content }
      })
      if (mapped.some((each, index) => each !== list[index])) shown = { ...shown, [field]: mapped }
    }
    return shown
  }

  async #byName(names: NameTable, method: Method, kind: 'tool_not_found' | 'prompt_not_found', what: string, name: unknown): Promise<Route> {
    if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
    this.#refresh()
    let found = names.find(name)
    const served = this.#find(found?.server)
    if (served !== undefined && found !== undefined && found.name === undefined) {
      await this.#all(method, [served])
      found = names.find(name)
    }
    if (served === undefined || found?.name === undefined) {
      throw new ParleyError(kind, { message: `Unknown ${what}: ${name.slice(0, 200)}; names here are <server>__<name>`, data: { name: name.slice(0, 200) } })
    }
    return { served, own: found.name }
  }

  #find(server: string | undefined): ServedUpstream | undefined {
    return server === undefined ? undefined : this.#servers().find(({ upstream }) => upstream.name === server)
  }

  /** Reads a list to its end; whoever fails is left out. */
  async #all(method: Method, servers: readonly ServedUpstream[] = this.#servers()): Promise<void> {
    await Promise.allSettled(
      servers.map(async ({ upstream }) => {
        let place: string | undefined
        for (let page = 0; page < 100; page++) {
          const { nextCursor } = await this.#fetch(upstream, method, place)
          if (nextCursor === undefined) return
          place = nextCursor
        }
      }),
    )
  }

  async #fetch(upstream: Upstream, method: Method, cursor: string | undefined): Promise<{ items: Body[]; nextCursor?: string }> {
    const { field } = LISTS[method]
    upstream.demandUp()
    const params: Body = cursor === undefined ? {} : { cursor }
    const kept = upstream.config.cache ? upstream.shelf.find(method, params, undefined) : undefined
    const line = await upstream.home()
    if (!line.client.session.can(method)) return { items: [] }
    const result = kept ?? (await upstream.bulkhead.run(() => line.request(method, params, {})))
    if (kept === undefined && upstream.config.cache) upstream.shelf.keep(method, params, undefined, result)
    const items = result[field]
    if (!Array.isArray(items)) throw new ParleyError('invalid_answer', { message: `${method} was answered without ${field}` })
    const { nextCursor } = result
    const page = this.#publish(upstream, method, items.filter(isObject), cursor === undefined)
    return typeof nextCursor === 'string' ? { items: page, nextCursor } : { items: page }
  }

  #publish(upstream: Upstream, method: Method, items: Body[], first: boolean): Body[] {
    switch (method) {
      case 'tools/list':
        return this.#named(this.#tools, upstream.name, upstream.tools.shown(items as never) as readonly Named[])
      case 'prompts/list':
        return this.#named(this.#prompts, upstream.name, items as never)
      case 'resources/list':
        this.#learn(
          this.#resources,
          upstream.name,
          (items as never as Resource[]).map(({ uri }) => uri),
          first,
        )
        this.#uris.learn(upstream.name, this.#resources.get(upstream.name))
        return items.map((item) => ({ ...item, uri: this.#uris.publicUri(upstream.name, String(item['uri'])) }))
      case 'resources/templates/list':
        this.#learn(
          this.#templates,
          upstream.name,
          (items as never as ResourceTemplate[]).map(({ uriTemplate }) => uriTemplate),
          first,
        )
        this.#uris.learn(upstream.name, undefined, this.#templates.get(upstream.name))
        return items.map((item) => ({ ...item, uriTemplate: this.#uris.publicTemplate(upstream.name, String(item['uriTemplate'])) }))
    }
  }

  #named(names: NameTable, server: string, items: readonly Named[]): Body[] {
    const clashes = new Set(
      names
        .learn(
          server,
          items.map(({ name }) => name),
        )
        .map(({ name, problem }) => {
          this.#log.warning(problem, { server })
          return name
        }),
    )
    return items.filter(({ name }) => !clashes.has(name)).map((item) => ({ ...item, name: names.publicName(server, item.name) }) as never as Body)
  }

  #learn(known: Map<string, Set<string>>, server: string, values: readonly string[], first: boolean): void {
    const all = (first ? undefined : known.get(server)) ?? new Set<string>()
    for (const value of values) all.add(value)
    known.set(server, all)
  }

  /** The servers may be others than the last time. */
  #refresh(): void {
    const names = this.#servers().map(({ upstream }) => upstream.name)
    const key = names.join('\n')
    if (key === this.#known) return
    this.#known = key
    for (const table of [this.#tools, this.#prompts, this.#uris]) table.setServers(names)
    for (const known of [this.#resources, this.#templates]) for (const server of known.keys()) if (!names.includes(server)) known.delete(server)
  }
}

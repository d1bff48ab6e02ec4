/** What all servers offer together, under names and URIs that lead back to one of them. */
import type { Prompt, Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { type FoundName, isAppUri, NameTable, UriTable, withAppLinks } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Upstream } from '../upstream/index.ts'
import type { ListMethod } from './lists.ts'

type Named = (Tool | Prompt) & { name: string }

/** What an item cannot be reached without. */
const KEYS: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'name',
  'prompts/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
}
const MAX_LOGGED_PROBLEMS = 1000
/** Of one list that is read anew; of a longer one what is gone counts on until the server is gone, too. */
const MAX_PARTIAL_VALUES = 100_000

/** Which page of a list items are. */
export interface Part {
  readonly cursor: string | undefined
  readonly nextCursor: unknown
}

/** A list of a server of which some pages were read, one after the other. */
interface PartialList {
  readonly next: string
  readonly values: string[]
}

export class NameIndex {
  readonly #log: GatewayLog
  readonly #onUrisMoved: () => void
  readonly #tools = new NameTable([])
  readonly #prompts = new NameTable([])
  readonly #uris = new UriTable([])
  readonly #servers = new Map<string, Upstream>()
  readonly #said = new Set<string>()
  /**
   * By method and server: lists of URIs that are read anew. What they held before counts until the end, so that nobody
   * else gets it in between.
   */
  readonly #partialLists = new Map<string, PartialList>()

  /** `onUrisMoved`: a list has shown that URIs may be other servers' now. */
  constructor(log: GatewayLog, onUrisMoved: () => void) {
    this.#log = log
    this.#onUrisMoved = onUrisMoved
  }

  setServers(servers: readonly Upstream[]): void {
    this.#servers.clear()
    this.#partialLists.clear()
    for (const upstream of servers) this.#servers.set(upstream.name, upstream)
    for (const table of [this.#tools, this.#prompts, this.#uris]) table.setServers(this.#servers.keys())
  }

  get servers(): Iterable<Upstream> {
    return this.#servers.values()
  }

  server(name: string | undefined): Upstream | undefined {
    return name === undefined ? undefined : this.#servers.get(name)
  }

  findTool(name: string): FoundName | undefined {
    return this.#tools.find(name)
  }

  /** What clients call a tool. */
  toolName(server: string, name: string): string {
    return this.#tools.publicName(server, name)
  }

  findPrompt(name: string): FoundName | undefined {
    return this.#prompts.find(name)
  }

  route(uri: string): ReturnType<UriTable['route']> {
    return this.#uris.route(uri)
  }

  /** Who lists a URI or has a template for it: the first of the configuration. */
  offeredBy(uri: string): string | undefined {
    return this.#uris.offeredBy(uri)
  }

  /** All that do, in the order of the configuration. */
  offerers(uri: string): string[] {
    return this.#uris.offerers(uri)
  }

  /** In the configuration. */
  comesBefore(server: string, other: string): boolean {
    return this.#uris.comesBefore(server, other)
  }

  /** Who offers a URI, when none of the servers before that one is `unread`: they might offer it, too. */
  ownerOf(uri: string, unread: { has(server: string): boolean }): string | undefined {
    const owner = this.offeredBy(uri)
    if (owner === undefined) return undefined
    for (const server of this.#servers.keys())
      if (server === owner || unread.has(server)) return server === owner ? owner : undefined
    return undefined
  }

  publicUri(server: string, uri: string): string {
    return this.#uris.publicUri(server, uri)
  }

  linkedUri(server: string, uri: string): string {
    return this.#uris.linkedUri(server, uri)
  }

  /**
   * From now on the items lead back to the server, in the place of those that the same `part` of its list held before.
   * Returns those that can. Without a part they are what one client alone is shown: URIs are the same for all, and are
   * not learned from that.
   */
  learn(server: string, method: ListMethod, listed: readonly Body[], part: Part | undefined): Body[] {
    const key = KEYS[method]
    const items = listed.filter((item) => typeof item[key] === 'string')
    if (items.length < listed.length)
      this.#say(`${server}: ${listed.length - items.length} items of ${method} have no ${key} and are left out`, server)
    const values = items.map((item) => String(item[key]))
    switch (method) {
      case 'tools/list':
        if (part === undefined) this.#servers.get(server)?.tools.note(values)
        return this.#named(this.#tools, server, items as never)
      case 'prompts/list':
        return this.#named(this.#prompts, server, items as never)
      case 'resources/list':
      case 'resources/templates/list':
        if (part !== undefined) {
          const { changes } = this.#uris
          this.#learnUris(server, method, values, part)
          if (method === 'resources/templates/list') this.#saidIfUnmatched(server, values)
          if (this.#uris.changes !== changes) this.#onUrisMoved()
        }
        return items
    }
  }

  /**
   * As clients see it. Servers that come before this one in the list have to be known by then: of several with one URI
   * the first keeps it.
   */
  shown(server: string, method: ListMethod, item: Body): Body {
    const key = KEYS[method]
    const original = String(item[key])
    switch (method) {
      case 'tools/list':
        return { ...withAppLinks(server, item), [key]: this.#tools.publicName(server, original) }
      case 'prompts/list':
        return { ...item, [key]: this.#prompts.publicName(server, original) }
      case 'resources/list':
        return { ...item, [key]: this.#saidIfShared(server, original, this.#uris.listedUri(server, original)) }
      case 'resources/templates/list':
        return { ...item, [key]: this.#saidIfShared(server, original, this.#uris.publicTemplate(server, original)) }
    }
  }

  #learnUris(server: string, method: ListMethod, values: readonly string[], part: Part): void {
    const [uris, templates] = method === 'resources/list' ? [values, undefined] : [undefined, values]
    const key = `${method} ${server}`
    const before = part.cursor === undefined ? undefined : this.#partialLists.get(key)
    const follows = part.cursor === before?.next
    if (!follows) return this.#uris.learnMore(server, uris, templates)
    const told = before?.values ?? []
    for (const value of values) told.push(value)
    this.#partialLists.delete(key)
    if (typeof part.nextCursor !== 'string') return this.#uris.learn(server, uris && told, templates && told)
    if (told.length <= MAX_PARTIAL_VALUES) this.#partialLists.set(key, { next: part.nextCursor, values: told })
    this.#uris.learnMore(server, uris, templates)
  }

  #saidIfUnmatched(server: string, templates: readonly string[]): void {
    const first = templates.find((template) => !this.#uris.matches(server, template))
    if (first === undefined) return
    const problem =
      `${server}: the template ${first.slice(0, 200)}, and maybe more, is too long or one too many to be matched; ` +
      `it is shown as ${this.#uris.publicTemplate(server, first).slice(0, 300)}`
    this.#say(problem, server, `${server} unmatched templates`)
  }

  /** Once for each two servers: those that have one URI in common often have many. */
  #saidIfShared(server: string, original: string, shown: string): string {
    // Pages of apps are shown by the name of their server in any case.
    const first = shown === original || isAppUri(original) ? undefined : this.offeredBy(original)
    if (first !== undefined && this.comesBefore(first, server)) {
      const problem =
        `${server}: ${original.slice(0, 200)}, and maybe more, is offered by ${first}, too, which comes first in the configuration and answers for it; ` +
        `that of ${server} is shown as ${shown.slice(0, 300)}`
      this.#say(problem, server, `${server} ${first}`)
    }
    return shown
  }

  #named(names: NameTable, server: string, items: readonly Named[]): Body[] {
    const clashes = names.learn(
      server,
      items.map(({ name }) => name),
    )
    for (const { problem } of clashes) this.#say(problem, server)
    const left = new Set(clashes.map(({ name }) => name))
    const kept: Body[] = []
    for (const item of items) {
      if (left.has(item.name)) continue
      // Once: nobody could tell which of two is meant.
      left.add(item.name)
      kept.push(item as never as Body)
    }
    if (kept.length < items.length - clashes.length)
      this.#say(`${server}: several items have the same name; the first of each is shown`, server)
    return kept
  }

  /** Once, however often the list is read. */
  #say(problem: string, server: string, key = problem): void {
    if (this.#said.has(key) || this.#said.size >= MAX_LOGGED_PROBLEMS) return
    this.#said.add(key)
    this.#log.warning(problem, { server })
  }
}

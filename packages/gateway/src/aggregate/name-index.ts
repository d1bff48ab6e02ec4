/** The names and URIs of all servers together. Each leads back to one server. */
import type { Prompt, Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { type FoundName, isAppUri, NameTable, UriTable, withAppLinks } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Upstream } from '../upstream/index.ts'
import type { ListMethod } from './lists.ts'

type Named = (Tool | Prompt) & { name: string }

/** By method: the member that identifies an item. */
const KEYS: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'name',
  'prompts/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
}
const MAX_LOGGED_PROBLEMS = 1000
/** Of one list that is read again. Items removed from a longer list count until the server is removed. */
const MAX_PARTIAL_VALUES = 100_000

/** The page of a list that items stand on. */
export interface Part {
  readonly cursor: string | undefined
  readonly nextCursor: unknown
}

/** A list whose first pages were read, in order. */
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
   * By method and server: lists of URIs that are being read again. Their earlier items count until the end, so that no
   * other server gets them in between.
   */
  readonly #partialLists = new Map<string, PartialList>()

  /** `onUrisMoved`: called when a list has shown that URIs may lead to other servers now. */
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

  /** The public name of a tool. */
  toolName(server: string, name: string): string {
    return this.#tools.publicName(server, name)
  }

  findPrompt(name: string): FoundName | undefined {
    return this.#prompts.find(name)
  }

  route(uri: string): ReturnType<UriTable['route']> {
    return this.#uris.route(uri)
  }

  /** The first server in the configuration that lists the URI or has a template for it. */
  offeredBy(uri: string): string | undefined {
    return this.#uris.offeredBy(uri)
  }

  /** All such servers, in the order of the configuration. */
  offerers(uri: string): string[] {
    return this.#uris.offerers(uri)
  }

  /** In the configuration. */
  comesBefore(server: string, other: string): boolean {
    return this.#uris.comesBefore(server, other)
  }

  /** The server that offers a URI. `undefined` while a server before it is `unread`, because that may offer it, too. */
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
   * From now on the items lead back to the server. They replace the earlier items of the same `part` of its list.
   * Returns the usable items. Without `part` the list is that of one client alone: no URIs are learned from it, because
   * URIs are the same for all clients.
   */
  learn(server: string, method: ListMethod, listed: readonly Body[], part: Part | undefined): Body[] {
    const key = KEYS[method]
    const items = listed.filter((item) => typeof item[key] === 'string')
    if (items.length < listed.length)
      this.#say(`${server}: ${listed.length - items.length} items of ${method} have no ${key} and are left out`, server)
    const values = items.map((item) => String(item[key]))
    switch (method) {
      case 'tools/list':
        if (part === undefined) this.#servers.get(server)?.tools.noteShownToSome(values)
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
   * The item with its public name or URI. Of several servers with one URI the first keeps it, so the servers before this
   * one have to be known.
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

  /** Logged once for each two servers: they often have many URIs in common. */
  #saidIfShared(server: string, original: string, shown: string): string {
    // The URI of an app's page always contains its server.
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
      // The first of several with one name, because a call could not tell them apart.
      left.add(item.name)
      kept.push(item as never as Body)
    }
    if (kept.length < items.length - clashes.length)
      this.#say(`${server}: several items have the same name; the first of each is shown`, server)
    return kept
  }

  /** Logs it once, however often the list is read. */
  #say(problem: string, server: string, key = problem): void {
    if (this.#said.has(key) || this.#said.size >= MAX_LOGGED_PROBLEMS) return
    this.#said.add(key)
    this.#log.warning(problem, { server })
  }
}

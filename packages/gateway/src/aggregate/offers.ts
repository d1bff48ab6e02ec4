/** What all servers offer together, under names and URIs that lead back to one of them. */
import type { Prompt, Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import { type FoundName, NameTable, UriTable } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { ListMethod } from './lists.ts'

type Named = (Tool | Prompt) & { name: string }

/** What an item cannot be reached without. */
const KEYS: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'name',
  'prompts/list': 'name',
  'resources/list': 'uri',
  'resources/templates/list': 'uriTemplate',
}
const MOST_SAID = 1000

/** How items stand to those that are known of the server: they come in their place, or besides. */
export type Part = 'first' | 'more'

export class Offers {
  readonly #log: GatewayLog
  readonly #tools = new NameTable([])
  readonly #prompts = new NameTable([])
  readonly #uris = new UriTable([])
  readonly #servers = new Map<string, ServedUpstream>()
  readonly #said = new Set<string>()

  constructor(log: GatewayLog) {
    this.#log = log
  }

  setServers(servers: readonly ServedUpstream[]): void {
    this.#servers.clear()
    for (const served of servers) this.#servers.set(served.upstream.name, served)
    for (const table of [this.#tools, this.#prompts, this.#uris]) table.setServers(this.#servers.keys())
  }

  get servers(): Iterable<ServedUpstream> {
    return this.#servers.values()
  }

  server(name: string | undefined): ServedUpstream | undefined {
    return name === undefined ? undefined : this.#servers.get(name)
  }

  findTool(name: string): FoundName | undefined {
    return this.#tools.find(name)
  }

  findPrompt(name: string): FoundName | undefined {
    return this.#prompts.find(name)
  }

  route(uri: string): ReturnType<UriTable['route']> {
    return this.#uris.route(uri)
  }

  /** Whose a listed URI is, when none of the servers before that one is `unread`: they might list it, too. */
  ownerOf(uri: string, unread: { has(server: string): boolean }): string | undefined {
    const owner = this.#uris.listedBy(uri)
    if (owner === undefined) return undefined
    for (const server of this.#servers.keys()) if (server === owner || unread.has(server)) return server === owner ? owner : undefined
    return undefined
  }

  publicUri(server: string, uri: string): string {
    return this.#uris.publicUri(server, uri)
  }

  mention(server: string, uri: string): string {
    return this.#uris.mention(server, uri)
  }

  /** From now on the items lead back to the server. Returns those that can. */
  learn(server: string, method: ListMethod, listed: readonly Body[], part: Part): Body[] {
    const key = KEYS[method]
    const items = listed.filter((item) => typeof item[key] === 'string')
    if (items.length < listed.length) this.#say(`${server}: ${listed.length - items.length} items of ${method} have no ${key} and are left out`, server)
    const values = items.map((item) => String(item[key]))
    switch (method) {
      case 'tools/list':
        return this.#named(this.#tools, server, items as never)
      case 'prompts/list':
        return this.#named(this.#prompts, server, items as never)
      case 'resources/list':
        if (part === 'first') this.#uris.learn(server, values)
        else this.#uris.learnMore(server, values)
        return items
      case 'resources/templates/list':
        if (part === 'first') this.#uris.learn(server, undefined, values)
        else this.#uris.learnMore(server, [], values)
        return items
    }
  }

  /** As clients see it. Servers that come before this one in the list have to be known by then: of several with one URI the first keeps it. */
  shown(server: string, method: ListMethod, item: Body): Body {
    const key = KEYS[method]
    const own = String(item[key])
    switch (method) {
      case 'tools/list':
        return { ...item, [key]: this.#tools.publicName(server, own) }
      case 'prompts/list':
        return { ...item, [key]: this.#prompts.publicName(server, own) }
      case 'resources/list':
        return { ...item, [key]: this.#uris.publicUri(server, own) }
      case 'resources/templates/list':
        return { ...item, [key]: this.#uris.publicTemplate(server, own) }
    }
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
    if (kept.length < items.length - clashes.length) this.#say(`${server}: several items have the same name; the first of each is shown`, server)
    return kept
  }

  /** Once, however often the list is read. */
  #say(problem: string, server: string): void {
    if (this.#said.has(problem) || this.#said.size >= MOST_SAID) return
    this.#said.add(problem)
    this.#log.warning(problem, { server })
  }
}

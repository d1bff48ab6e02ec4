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

  publicUri(server: string, uri: string): string {
    return this.#uris.publicUri(server, uri)
  }

  mention(server: string, uri: string): string {
    return this.#uris.mention(server, uri)
  }

  /** Items of a server's list as clients see them; from now on they lead back to it. */
  publish(server: string, method: ListMethod, listed: readonly Body[], part: Part): Body[] {
    const key = KEYS[method]
    const items = listed.filter((item) => typeof item[key] === 'string')
    if (items.length < listed.length) this.#say(`${server}: ${listed.length - items.length} items of ${method} have no ${key} and are left out`, server)
    switch (method) {
      case 'tools/list':
        return this.#named(this.#tools, server, items as never)
      case 'prompts/list':
        return this.#named(this.#prompts, server, items as never)
      case 'resources/list': {
        const uris = items.map(({ uri }) => String(uri))
        if (part === 'first') this.#uris.learn(server, uris)
        else this.#uris.learnMore(server, uris)
        return items.map((item) => ({ ...item, uri: this.#uris.publicUri(server, String(item['uri'])) }))
      }
      case 'resources/templates/list': {
        const templates = items.map(({ uriTemplate }) => String(uriTemplate))
        if (part === 'first') this.#uris.learn(server, undefined, templates)
        else this.#uris.learnMore(server, [], templates)
        return items.map((item) => ({ ...item, uriTemplate: this.#uris.publicTemplate(server, String(item['uriTemplate'])) }))
      }
    }
  }

  #named(names: NameTable, server: string, items: readonly Named[]): Body[] {
    const clashes = names.learn(
      server,
      items.map(({ name }) => name),
    )
    for (const { problem } of clashes) this.#say(problem, server)
    const left = new Set(clashes.map(({ name }) => name))
    const shown: Body[] = []
    for (const item of items) {
      if (left.has(item.name)) continue
      // Once: nobody could tell which of two is meant.
      left.add(item.name)
      shown.push({ ...item, name: names.publicName(server, item.name) } as never as Body)
    }
    if (shown.length < items.length - clashes.length) this.#say(`${server}: several items have the same name; the first of each is shown`, server)
    return shown
  }

  /** Once, however often the list is read. */
  #say(problem: string, server: string): void {
    if (this.#said.has(problem) || this.#said.size >= MOST_SAID) return
    this.#said.add(problem)
    this.#log.warning(problem, { server })
  }
}

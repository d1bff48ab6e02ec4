/** What all servers offer together, under names and URIs that lead back to one of them. */
import type { Prompt, Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import { type FoundName, NameTable, UriTable } from '../catalogue/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { ListMethod } from './lists.ts'

type Named = (Tool | Prompt) & { name: string }

/** How items stand to those that are known of the server: they come in their place, or besides. */
export type Part = 'first' | 'more'

export class Offers {
  readonly #log: GatewayLog
  readonly #tools = new NameTable([])
  readonly #prompts = new NameTable([])
  readonly #uris = new UriTable([])
  readonly #servers = new Map<string, ServedUpstream>()

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
  publish(server: string, method: ListMethod, items: readonly Body[], part: Part): Body[] {
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
    for (const { problem } of clashes) this.#log.warning(problem, { server })
    const left = new Set(clashes.map(({ name }) => name))
    return items.filter(({ name }) => !left.has(name)).map((item) => ({ ...item, name: names.publicName(server, item.name) }) as never as Body)
  }
}

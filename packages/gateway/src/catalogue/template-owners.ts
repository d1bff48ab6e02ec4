/** The servers that have a template that matches a URI, and the first of them in the configuration. */
import { PrefixTree } from './prefix-tree.ts'
import { type Matcher, wildcard } from './wildcard.ts'

/** Further templates of a server are published in the form that contains the server. */
const MAX_PER_SERVER = 10_000
/** A longer template is not kept, and a longer URI matches no template. */
const MAX_TEMPLATE_LENGTH = 2048
const MAX_URI_LENGTH = 8192
/**
 * Limits for matching one URI with the templates of one server: templates tried, and characters read. Beyond them a
 * matching beginning is enough.
 */
const MAX_TRIED = 100
const MAX_READ = 100_000

/** Templates of one server that begin alike. */
type Alike = Map<string, Matcher>

/**
 * A template matches a URI with its literal parts in order and any text for its variables. Servers differ in what they
 * accept there, and another server must not answer for a URI that this one may accept.
 */
export class TemplateOwners {
  readonly #ranks: ReadonlyMap<string, number>
  /** By the text before the first variable, by server. */
  readonly #byBeginning = new PrefixTree<Map<string, Alike>>()
  readonly #byServer = new Map<string, Set<string>>()
  #changes = 0

  constructor(ranks: ReadonlyMap<string, number>) {
    this.#ranks = ranks
  }

  /** The number of added and removed templates. While it stays the same, no URI changes its owner. */
  get changes(): number {
    return this.#changes
  }

  replace(server: string, templates: Iterable<string>): void {
    const now = new Set(templates)
    for (const template of this.#byServer.get(server) ?? []) if (!now.has(template)) this.#remove(server, template)
    this.add(server, now)
  }

  add(server: string, templates: Iterable<string>): void {
    const kept = this.#byServer.get(server) ?? new Set<string>()
    for (const template of templates) {
      if (kept.has(template) || template.length > MAX_TEMPLATE_LENGTH) continue
      if (kept.size >= MAX_PER_SERVER) break
      kept.add(template)
      this.#changes++
      const servers = this.#byBeginning.entry(beginningOf(template), () => new Map())
      const alike = servers.get(server) ?? new Map<string, Matcher>()
      servers.set(server, alike.set(template, matcherOf(template)))
    }
    if (kept.size > 0) this.#byServer.set(server, kept)
  }

  has(server: string, template: string): boolean {
    return this.#byServer.get(server)?.has(template) === true
  }

  /** The first server with a matching template, or `other` if that comes first. */
  first(uri: string, other: string | undefined): string | undefined {
    let first = other
    let rank = other === undefined ? Number.POSITIVE_INFINITY : this.#rank(other)
    for (const server of this.#fitting(uri, (candidate) => this.#rank(candidate) < rank)) {
      first = server
      rank = this.#rank(server)
      if (rank === 0) break
    }
    return first
  }

  /** All servers with a matching template. */
  all(uri: string): Iterable<string> {
    return this.#fitting(uri, () => true)
  }

  /** Servers with a matching template. `isWanted` is asked when a server's turn comes. */
  *#fitting(uri: string, isWanted: (server: string) => boolean): Iterable<string> {
    if (uri.length > MAX_URI_LENGTH) return
    const tried = new Map<string, number>()
    for (const servers of this.#byBeginning.along(uri)) {
      for (const [server, alike] of servers) {
        if (!isWanted(server)) continue
        const count = (tried.get(server) ?? 0) + alike.size
        tried.set(server, count)
        if (count > MAX_TRIED || count * uri.length > MAX_READ || fits(alike, uri)) yield server
      }
    }
  }

  #rank(server: string): number {
    return this.#ranks.get(server) ?? Number.POSITIVE_INFINITY
  }

  #remove(server: string, template: string): void {
    this.#changes++
    const kept = this.#byServer.get(server)
    kept?.delete(template)
    if (kept?.size === 0) this.#byServer.delete(server)
    const beginning = beginningOf(template)
    const servers = this.#byBeginning.get(beginning)
    const alike = servers?.get(server)
    alike?.delete(template)
    if (alike?.size === 0) servers?.delete(server)
    if (servers?.size === 0) this.#byBeginning.delete(beginning)
  }
}

function fits(alike: Alike, uri: string): boolean {
  for (const matches of alike.values()) if (matches(uri)) return true
  return false
}

function beginningOf(template: string): string {
  const open = template.indexOf('{')
  return open === -1 ? template : template.slice(0, open)
}

function matcherOf(template: string): Matcher {
  return wildcard(template.replace(/\{[^{}]*\}?/g, '*'))
}

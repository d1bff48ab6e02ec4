/** Which servers have a template that fits a URI, and who of them comes first. */
import { type Matcher, wildcard } from './wildcard.ts'

/** Most templates that are kept of one server; what goes beyond has to be published in a form that needs no table. */
const MAX_PER_SERVER = 10_000
/** Most templates of one server with the same beginning that are tried one by one; with more of them the beginning is enough. */
const MAX_ALIKE = 100

/** Templates of one server that begin alike. */
type Alike = Map<string, Matcher>

/**
 * A template fits what has its literal parts in their order, whatever stands in the places of its variables: servers differ in what they take there,
 * and what one of them may take is not to be answered by another.
 */
export class TemplateOwners {
  readonly #ranks: ReadonlyMap<string, number>
  /** By the text before the first variable, by server. */
  readonly #byBeginning = new Map<string, Map<string, Alike>>()
  readonly #byServer = new Map<string, Set<string>>()
  /** Of the beginnings. */
  #lengths: readonly number[] = []
  #changes = 0

  constructor(ranks: ReadonlyMap<string, number>) {
    this.#ranks = ranks
  }

  /** How often somebody has come to have a template, or ceased to: while it is the same, nothing has another owner. */
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
      if (kept.has(template)) continue
      if (kept.size >= MAX_PER_SERVER) break
      kept.add(template)
      this.#changes++
      const servers = entryOf(this.#byBeginning, beginningOf(template), () => new Map<string, Alike>())
      entryOf(servers, server, () => new Map()).set(template, matcherOf(template))
    }
    if (kept.size > 0) this.#byServer.set(server, kept)
    this.#lengths = [...new Set([...this.#byBeginning.keys()].map((beginning) => beginning.length))]
  }

  /** The first of those with a template that fits, and of `other`. */
  first(uri: string, other: string | undefined): string | undefined {
    let first = other
    for (const [server, alike] of this.#beginningLike(uri)) {
      if ((first === undefined || this.#rank(server) < this.#rank(first)) && fits(alike, uri)) first = server
    }
    return first
  }

  *all(uri: string): Iterable<string> {
    for (const [server, alike] of this.#beginningLike(uri)) if (fits(alike, uri)) yield server
  }

  /** Templates whose literal beginning is that of the URI, by server. */
  *#beginningLike(uri: string): Iterable<[string, Alike]> {
    for (const length of this.#lengths) if (length <= uri.length) yield* this.#byBeginning.get(uri.slice(0, length)) ?? []
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
  if (alike.size > MAX_ALIKE) return true
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

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

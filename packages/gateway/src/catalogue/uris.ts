/** The URIs of many servers in one list. */
import { isAppUri, ownAppUri, publicAppUri } from './app-uris.ts'
import { TemplateOwners } from './template-owners.ts'
import { UriOwners } from './uri-owners.ts'

export interface RoutedUri {
  readonly server: string
  readonly uri: string
}

const SLASH = '/'
const OWN = 'parley://'
const SERVERS = `${OWN}servers/`
const TEMPLATES = `${OWN}templates/`
const MAX_LINKED_URIS = 10_000
const MAX_LINKED_URI_LENGTH = 2048

/**
 * A URI stays as it is while it leads to its server; otherwise it is published in one of the gateway's own forms, which
 * lead there by themselves: `parley://servers/<server>/<percent-encoded URI>`, and for templates
 * `parley://templates/<server>/<template as it is>`, so that filling in the template fills in the original. Pages of
 * apps have a form of their own, in which they are always published: see `app-uris.ts`.
 */
export class UriTable {
  /** By server, in the order of the configuration. */
  readonly #ranks = new Map<string, number>()
  readonly #listed = new UriOwners(this.#ranks)
  readonly #templates = new TemplateOwners(this.#ranks)
  /** URI → the first server that linked to it. The URI with the oldest link is forgotten first. */
  readonly #linkOwners = new Map<string, string>()

  /**
   * In the order of the configuration: of several that offer one URI, by a list or a template, the first one keeps it.
   */
  constructor(servers: Iterable<string>) {
    this.setServers(servers)
  }

  /** A count that stays the same while no URI changes its server. */
  get changes(): number {
    return this.#listed.changes + this.#templates.changes
  }

  setServers(servers: Iterable<string>): void {
    const gone = new Set(this.#ranks.keys())
    this.#ranks.clear()
    for (const server of servers) {
      gone.delete(server)
      if (!this.#ranks.has(server)) this.#ranks.set(server, this.#ranks.size)
    }
    for (const server of gone) this.forget(server)
  }

  /** Replaces what a server offers. `undefined` leaves that part unchanged. */
  learn(server: string, uris: Iterable<string> | undefined, templates?: Iterable<string>): void {
    if (!this.#ranks.has(server)) return
    this.#replace(server, uris, templates)
  }

  /** Adds to what a server offers. */
  learnMore(server: string, uris: Iterable<string> | undefined, templates?: Iterable<string>): void {
    if (!this.#ranks.has(server)) return
    if (uris !== undefined) this.#listed.add(server, uris)
    if (templates !== undefined) this.#templates.add(server, templates)
  }

  /** Whether URIs of the template lead to the server in their own form. */
  matches(server: string, template: string): boolean {
    return this.#templates.has(server, template)
  }

  /** The public URI of a resource that a server has linked to or embedded. */
  linkedUri(server: string, uri: string): string {
    if (isAppUri(uri)) return publicAppUri(server, uri)
    if (this.#ranks.has(server) && uri.length <= MAX_LINKED_URI_LENGTH) {
      // The first server keeps the URI: another server cannot take over earlier links by using the same URI.
      const first = this.#linkOwners.get(uri) ?? server
      this.#linkOwners.delete(uri)
      this.#linkOwners.set(uri, first)
      const [oldest] = this.#linkOwners.keys()
      if (this.#linkOwners.size > MAX_LINKED_URIS && oldest !== undefined) this.#linkOwners.delete(oldest)
    }
    return this.publicUri(server, uri)
  }

  forget(server: string): void {
    this.#replace(server, [], [])
    for (const [uri, owner] of this.#linkOwners) if (owner === server) this.#linkOwners.delete(uri)
  }

  publicUri(server: string, uri: string): string {
    if (isAppUri(uri)) return publicAppUri(server, uri)
    if (!isOwn(uri) && this.route(uri)?.server === server) return uri
    return wrapped(server, uri)
  }

  /** The public URI in a list. Unlike `publicUri` it does not depend on links. */
  listedUri(server: string, uri: string): string {
    if (isAppUri(uri)) return publicAppUri(server, uri)
    return this.offeredBy(uri) === server ? uri : wrapped(server, uri)
  }

  publicTemplate(server: string, template: string): string {
    if (isAppUri(template)) return publicAppUri(server, template)
    const kept = !isOwn(template) && this.offeredBy(template) === server
    return kept ? template : TEMPLATES + encode(server) + SLASH + template
  }

  /** In the order of the configuration. */
  comesBefore(server: string, other: string): boolean {
    return (this.#ranks.get(server) ?? Number.POSITIVE_INFINITY) < (this.#ranks.get(other) ?? Number.POSITIVE_INFINITY)
  }

  /** The first of those that list it or have a template that fits it. */
  offeredBy(uri: string): string | undefined {
    return isOwn(uri) || this.#ownPage(uri) ? undefined : this.#templates.first(uri, this.#listed.first(uri))
  }

  /** All that list it or have a template that fits it, in the order of the configuration. */
  offerers(uri: string): string[] {
    const servers = new Set([...this.#listed.all(uri), ...this.#templates.all(uri)])
    return [...servers].sort((one, other) => (this.comesBefore(one, other) ? -1 : 1))
  }

  /** The server of a URI or a template, and its form there. */
  route(uri: string): RoutedUri | undefined {
    if (isOwn(uri)) return this.#unwrap(uri)
    if (isAppUri(uri)) return this.#ownPage(uri) ?? this.#onlyPage(uri)
    const server = this.offeredBy(uri) ?? this.#linkOwners.get(uri)
    return server === undefined ? undefined : { server, uri }
  }

  #ownPage(uri: string): RoutedUri | undefined {
    const own = ownAppUri(uri)
    return own !== undefined && this.#ranks.has(own.server) ? own : undefined
  }

  /** Apps may request a page by its URI at the server. That works while only one server has the URI. */
  #onlyPage(uri: string): RoutedUri | undefined {
    const [server, ...others] = this.offerers(uri)
    return server === undefined || others.length > 0 ? undefined : { server, uri }
  }

  #unwrap(uri: string): RoutedUri | undefined {
    const start = [SERVERS, TEMPLATES].find((prefix) => uri.startsWith(prefix))
    const slash = start === undefined ? -1 : uri.indexOf(SLASH, start.length)
    if (start === undefined || slash === -1) return undefined
    const server = decode(uri.slice(start.length, slash))
    const rest = uri.slice(slash + 1)
    const original = start === SERVERS ? decode(rest) : rest
    return server === undefined || original === undefined || !this.#ranks.has(server)
      ? undefined
      : { server, uri: original }
  }

  #replace(server: string, uris: Iterable<string> | undefined, templates: Iterable<string> | undefined): void {
    if (uris !== undefined) this.#listed.replace(server, uris)
    if (templates !== undefined) this.#templates.replace(server, templates)
  }
}

/** Such a URI of another gateway is wrapped again, so that it leads back to that gateway. */
function isOwn(uri: string): boolean {
  return uri.startsWith(SERVERS) || uri.startsWith(TEMPLATES)
}

function wrapped(server: string, uri: string): string {
  return SERVERS + encode(server) + SLASH + encode(uri)
}

function encode(text: string): string {
  // A lone surrogate has no percent-encoded form, and no URI contains one.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

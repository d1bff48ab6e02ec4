/** URIs of resources of many servers in one list. */
import { UriOwners } from './uri-owners.ts'

export interface RoutedUri {
  readonly server: string
  readonly uri: string
}

const SLASH = '/'
const OWN = 'parley://'
const SERVERS = `${OWN}servers/`
const TEMPLATES = `${OWN}templates/`
const MAX_MENTIONS = 10_000
const MAX_MENTION_LENGTH = 2048

/**
 * A URI stays as it is while it leads to its server; otherwise it is published in one of the gateway's own forms, which lead there by themselves:
 * `parley://servers/<server>/<percent-encoded URI>`, and for templates `parley://templates/<server>/<template as it is>`, so that filling in the
 * template fills in the original.
 */
export class UriTable {
  /** By server, in the order of the configuration. */
  readonly #ranks = new Map<string, number>()
  readonly #listed = new UriOwners(this.#ranks)
  readonly #templates = new UriOwners(this.#ranks)
  /** The text of templates before their first `{`. */
  readonly #prefixes = new UriOwners(this.#ranks)
  /** Of the prefixes, longest first. */
  #lengths: readonly number[] = []
  /** URI → who was the first to mention it; those that nobody has mentioned for longest go first. */
  readonly #mentions = new Map<string, string>()

  /** In the order of the configuration: of several that offer one URI the first one keeps it. */
  constructor(servers: Iterable<string>) {
    this.setServers(servers)
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

  /** Everything a server offers now, in place of what it offered before; `undefined` leaves that part as it is. */
  learn(server: string, uris: Iterable<string> | undefined, templates?: Iterable<string>): void {
    if (!this.#ranks.has(server)) return
    this.#replace(server, uris, templates)
  }

  /** What a server offers besides. */
  learnMore(server: string, uris: Iterable<string>, templates: Iterable<string> = []): void {
    if (!this.#ranks.has(server)) return
    this.#listed.add(server, uris)
    const given = [...templates]
    if (given.length === 0) return
    this.#templates.add(server, given)
    this.#prefixes.add(server, given.map(prefixOf))
    this.#measure()
  }

  /** A server spoke of a resource, in a link or with its contents. Returns the URI to show to clients. */
  mention(server: string, uri: string): string {
    if (this.#ranks.has(server) && uri.length <= MAX_MENTION_LENGTH) {
      // Links that clients have got lead where they led: no other server can take them over by naming them, too.
      const first = this.#mentions.get(uri) ?? server
      this.#mentions.delete(uri)
      this.#mentions.set(uri, first)
      const [oldest] = this.#mentions.keys()
      if (this.#mentions.size > MAX_MENTIONS && oldest !== undefined) this.#mentions.delete(oldest)
    }
    return this.publicUri(server, uri)
  }

  forget(server: string): void {
    this.#replace(server, [], [])
    for (const [uri, mentioner] of this.#mentions) if (mentioner === server) this.#mentions.delete(uri)
  }

  publicUri(server: string, uri: string): string {
    if (!isOwn(uri) && this.route(uri)?.server === server) return uri
    return SERVERS + encode(server) + SLASH + encode(uri)
  }

  publicTemplate(server: string, template: string): string {
    const kept = !isOwn(template) && this.#templates.first(template) === server && this.#prefixes.first(prefixOf(template)) === server
    return kept ? template : TEMPLATES + encode(server) + SLASH + template
  }

  /** The first of those that list it. */
  listedBy(uri: string): string | undefined {
    return this.#listed.first(uri)
  }

  /** Whose a URI, or a template, is, and what it is called there. */
  route(uri: string): RoutedUri | undefined {
    if (isOwn(uri)) return this.#unwrap(uri)
    const server = this.#listed.first(uri) ?? this.#templates.first(uri) ?? this.#byPrefix(uri) ?? this.#mentions.get(uri) ?? this.#prefixes.first('')
    return server === undefined ? undefined : { server, uri }
  }

  /** Of several servers with the same prefix it is the one that spoke of this very URI first. */
  #byPrefix(uri: string): string | undefined {
    for (const length of this.#lengths) {
      const prefix = uri.length >= length ? uri.slice(0, length) : undefined
      const first = prefix === undefined ? undefined : this.#prefixes.first(prefix)
      if (prefix === undefined || first === undefined) continue
      const mentioner = this.#mentions.get(uri)
      return mentioner !== undefined && this.#prefixes.has(prefix, mentioner) ? mentioner : first
    }
    return undefined
  }

  #unwrap(uri: string): RoutedUri | undefined {
    const start = [SERVERS, TEMPLATES].find((prefix) => uri.startsWith(prefix))
    const slash = start === undefined ? -1 : uri.indexOf(SLASH, start.length)
    if (start === undefined || slash === -1) return undefined
    const server = decode(uri.slice(start.length, slash))
    const rest = uri.slice(slash + 1)
    const original = start === SERVERS ? decode(rest) : rest
    return server === undefined || original === undefined || !this.#ranks.has(server) ? undefined : { server, uri: original }
  }

  #replace(server: string, uris: Iterable<string> | undefined, templates: Iterable<string> | undefined): void {
    if (uris !== undefined) this.#listed.replace(server, uris)
    if (templates === undefined) return
    const given = [...templates]
    this.#templates.replace(server, given)
    this.#prefixes.replace(server, given.map(prefixOf))
    this.#measure()
  }

  #measure(): void {
    const lengths = new Set([...this.#prefixes.keys()].map((prefix) => prefix.length))
    // A template that begins with a variable fits everything: it is asked last.
    lengths.delete(0)
    this.#lengths = [...lengths].sort((one, other) => other - one)
  }
}

/** What another gateway published in these forms is wrapped once more, and so finds its way there. */
function isOwn(uri: string): boolean {
  return uri.startsWith(SERVERS) || uri.startsWith(TEMPLATES)
}

function prefixOf(template: string): string {
  const open = template.indexOf('{')
  return open === -1 ? template : template.slice(0, open)
}

function encode(text: string): string {
  // Half a surrogate pair has no percent-encoded form; no URI holds one.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

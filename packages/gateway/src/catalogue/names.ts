/** Names of tools or prompts of many servers in one list. */
import { sha256 } from './sha256.ts'

export interface FoundName {
  readonly server: string
  /** Absent for a shortened name that is not known before the list of the server is read. */
  readonly name: string | undefined
}

export interface NameClash {
  readonly name: string
  readonly publicName: string
  readonly problem: string
}

export interface NameTableOptions {
  /** The hash behind shortened names. */
  readonly digest?: (text: string) => Uint8Array
  /** The most shortened names of one server. The oldest are forgotten first. */
  readonly maxPerServer?: number
}

const MAX_LENGTH = 64
const SEPARATOR = '__'
const ALLOWED = /^[A-Za-z0-9_.-]+$/
const SERVER_SIGNS = 6
/** 60 bits. */
const PAIR_SIGNS = 12
const HASH_SIGNS = SERVER_SIGNS + PAIR_SIGNS
const HEAD_LENGTH = MAX_LENGTH - HASH_SIGNS - 1
/** The part of the server in a long head. The rest is for the name, which says more. */
const SERVER_HEAD_LENGTH = 20
const SIGNS = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * `<server>__<name>` wherever that can be read back in one way only, else a shortened form.
 *
 * The plain form is read back by splitting at the first `__`, so it is for servers whose name neither holds `__` nor
 * ends with `_`. It keeps the dot, which the specification allows in names. The shortened form, `<readable head>_<18
 * signs>`, never holds `__`, so no name has both forms, and it is made of letters, digits, `_` and `-` alone, which
 * every client takes. Its first 6 signs tell the server, the other 12 the pair of server and name.
 */
export class NameTable {
  readonly #digest: (text: string) => Uint8Array
  readonly #maxPerServer: number
  /** By server: its signs in shortened names. */
  readonly #signs = new Map<string, string>()
  /** By signs. `undefined` for signs that two servers share. */
  readonly #servers = new Map<string, string | undefined>()
  readonly #byPublicName = new Map<string, { readonly server: string; readonly name: string }>()
  /** By server: name → shortened name. */
  readonly #shortened = new Map<string, Map<string, string>>()

  constructor(servers: Iterable<string>, { digest = sha256, maxPerServer = 10_000 }: NameTableOptions = {}) {
    this.#digest = digest
    this.#maxPerServer = maxPerServer
    this.setServers(servers)
  }

  /** Forgets removed servers and keeps what is known of the others. */
  setServers(servers: Iterable<string>): void {
    const wanted = new Set(servers)
    for (const server of this.#signs.keys()) if (!wanted.has(server)) this.forget(server)
    this.#signs.clear()
    this.#servers.clear()
    for (const server of wanted) {
      const signs = this.#signsOf(server)
      this.#signs.set(server, signs)
      this.#servers.set(signs, this.#servers.has(signs) ? undefined : server)
    }
  }

  /** The same for a pair at any time. */
  publicName(server: string, name: string): string {
    if (isPlain(server, name)) return server + SEPARATOR + name
    return this.#shortened.get(server)?.get(name) ?? this.#shorten(server, name)
  }

  /** Finds plain names before they are learnt. */
  find(publicName: string): FoundName | undefined {
    const known = this.#byPublicName.get(publicName)
    if (known !== undefined) return known
    const at = publicName.indexOf(SEPARATOR)
    if (at === -1) return this.#serverOf(publicName)
    const server = publicName.slice(0, at)
    const name = publicName.slice(at + SEPARATOR.length)
    return this.#signs.has(server) && isPlain(server, name) ? { server, name } : undefined
  }

  /**
   * Learns the shortened names among these. Returns the names that clash with another, which lists have to leave out.
   */
  learn(server: string, names: Iterable<string>): NameClash[] {
    const clashes: NameClash[] = []
    if (!this.#signs.has(server)) return clashes
    for (const name of names) {
      if (isPlain(server, name)) continue
      const publicName = this.#shorten(server, name)
      const taken = this.#byPublicName.get(publicName)
      if (taken !== undefined && (taken.server !== server || taken.name !== name))
        clashes.push({ name, publicName, problem: clashText(server, name, taken) })
      else this.#keep(server, name, publicName)
    }
    return clashes
  }

  forget(server: string): void {
    for (const publicName of this.#shortened.get(server)?.values() ?? []) this.#byPublicName.delete(publicName)
    this.#shortened.delete(server)
  }

  #keep(server: string, name: string, publicName: string): void {
    const names = this.#shortened.get(server) ?? new Map<string, string>()
    this.#shortened.set(server, names)
    names.delete(name)
    names.set(name, publicName)
    this.#byPublicName.set(publicName, { server, name })
    const [oldest] = names
    if (names.size <= this.#maxPerServer || oldest === undefined) return
    names.delete(oldest[0])
    this.#byPublicName.delete(oldest[1])
  }

  #serverOf(publicName: string): FoundName | undefined {
    if (publicName.length > MAX_LENGTH || publicName.at(-HASH_SIGNS - 1) !== '_') return undefined
    const server = this.#servers.get(publicName.slice(-HASH_SIGNS, -PAIR_SIGNS))
    return server === undefined ? undefined : { server, name: undefined }
  }

  #shorten(server: string, name: string): string {
    // JSON separates the two in any case, and escapes what UTF-8 cannot encode.
    const pair = base32(this.#digest(JSON.stringify([server, name])), PAIR_SIGNS)
    return `${head(server, name)}_${this.#signs.get(server) ?? this.#signsOf(server)}${pair}`
  }

  #signsOf(server: string): string {
    return base32(this.#digest(JSON.stringify([server])), SERVER_SIGNS)
  }
}

function isPlain(server: string, name: string): boolean {
  if (name === '' || server.length + SEPARATOR.length + name.length > MAX_LENGTH) return false
  return !server.includes(SEPARATOR) && !server.endsWith('_') && ALLOWED.test(server) && ALLOWED.test(name)
}

function head(server: string, name: string): string {
  const whole = tidy(`${server}_${name}`)
  if (whole.length <= HEAD_LENGTH) return whole
  const start = tidy(server).slice(0, SERVER_HEAD_LENGTH)
  return tidy(`${start}_${tidy(name)}`.slice(0, HEAD_LENGTH))
}

/** Only characters that every client accepts, and no double underscore. */
function tidy(text: string): string {
  const signs = text.slice(0, 4 * MAX_LENGTH).replace(/[^A-Za-z0-9-]+/g, '_')
  return signs.slice(signs.startsWith('_') ? 1 : 0, signs.endsWith('_') ? -1 : undefined)
}

function base32(bytes: Uint8Array, length: number): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += SIGNS.charAt((held >> (bits - 5)) & 31)
    if (text.length >= length) break
  }
  return text.slice(0, length)
}

function clashText(server: string, name: string, taken: { readonly server: string; readonly name: string }): string {
  const shown = (one: string, other: string) =>
    `${JSON.stringify(other.slice(0, 200))} of server ${JSON.stringify(one)}`
  return `${shown(server, name)} is a name that cannot be shortened uniquely: ${shown(taken.server, taken.name)} has the same short form; rename one of them`
}

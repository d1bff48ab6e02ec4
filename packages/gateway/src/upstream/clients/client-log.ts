/** Logs the clients and their protocol versions: each session once, and clients without a session every ten minutes. */
import { type Clock, type Identity, type Inbound, type Session, systemClock } from 'parley-mcp/engine'
import type { GatewayLog } from '../../log/index.ts'
import { quoted } from '../pool/ownership.ts'
import { abilitiesOf } from './client-abilities.ts'
import type { ClientSession } from './client-session.ts'

/** How long the same client without a session is not logged again, in milliseconds. */
const LOG_INTERVAL_MS = 600_000
const MAX_CLIENTS = 1000
const MAX_NAME_LENGTH = 80

export class ClientLog {
  readonly #log: GatewayLog
  readonly #clock: Clock
  /** The server of the address. `*`: the address of all servers. */
  readonly #server: string
  readonly #loggedAt = new Map<string, number>()
  /** The client of the last request. Most often it makes the next one, too. */
  #last: { readonly key: readonly unknown[]; readonly at: number } | undefined

  constructor(server: string, log: GatewayLog, clock: Clock = systemClock) {
    this.#server = server
    this.#log = log
    this.#clock = clock
  }

  /** A client has completed the handshake. */
  negotiated({ peer, version, transport }: Session, { label, principal }: ClientSession): void {
    const { name, version: release } = infoOf(peer?.info)
    const summary = `client ${quoted(`${name} ${release}`)} speaks ${version} over ${transport} with ${this.#where}${asPrincipal(principal)}`
    this.#log.info(`Session ${label}: ${summary}`, {
      event: 'session',
      session: label,
      ...this.#facts(name, release, principal),
      version,
      transport,
    })
  }

  /** A client without a session has made a request. */
  requested({ caller, principal: given, session }: Inbound): void {
    const { version, capabilities, info } = caller
    // The id of a connection opens its session to every reader of the log.
    const principal = given === session.id ? undefined : given
    const { name, version: release } = infoOf(info)
    const declared = abilitiesOf(capabilities)
    if (!this.#isDue([version, declared.key, name, release, principal])) return
    const abilities = Object.keys(declared.capabilities)
    const declares = `it declares ${abilities.join(', ') || 'no abilities'}`
    this.#log.info(
      `Client ${quoted(`${name} ${release}`)} speaks ${version} over ${session.transport} with ${this.#where}, without a session${asPrincipal(principal)}; ${declares}`,
      { event: 'client', ...this.#facts(name, release, principal), version, transport: session.transport, abilities },
    )
  }

  #isDue(key: readonly unknown[]): boolean {
    const now = this.#clock.now()
    const last = this.#last
    if (last !== undefined && now - last.at < LOG_INTERVAL_MS && last.key.every((part, at) => part === key[at]))
      return false
    const text = JSON.stringify(key)
    const loggedAt = this.#loggedAt.get(text)
    const isDue = loggedAt === undefined || now - loggedAt >= LOG_INTERVAL_MS
    if (isDue && this.#loggedAt.size >= MAX_CLIENTS) this.#loggedAt.clear()
    if (isDue) this.#loggedAt.set(text, now)
    this.#last = { key, at: isDue ? now : (loggedAt as number) }
    return isDue
  }

  get #where(): string {
    return this.#server === '*' ? 'all servers' : `server "${this.#server}"`
  }

  #facts(client: string, release: string, principal: string | undefined): Record<string, unknown> {
    return { server: this.#server, client, release, ...(principal !== undefined && { principal }) }
  }
}

/** Clients choose these names, which may be of any length. */
function infoOf(info: Identity | undefined): { readonly name: string; readonly version: string } {
  return {
    name: (info?.name ?? 'unknown').slice(0, MAX_NAME_LENGTH),
    version: (info?.version ?? 'unknown').slice(0, MAX_NAME_LENGTH),
  }
}

function asPrincipal(principal: string | undefined): string {
  return principal === undefined ? '' : ` as the principal ${quoted(principal)}`
}

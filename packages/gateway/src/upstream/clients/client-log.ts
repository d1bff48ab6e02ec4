/** Says in the log which clients there are and what they speak: each session once, others once in a while. */
import { type Clock, type Identity, type Inbound, type Session, systemClock } from 'parley-mcp/engine'
import type { GatewayLog } from '../../log/index.ts'
import { quoted } from '../pool/ownership.ts'
import { abilitiesOf } from './client-abilities.ts'
import type { ClientSession } from './client-session.ts'

/** The same client without a session is not news within this many milliseconds. */
const PACE = 600_000
const MOST_REMEMBERED = 1000
const LONGEST_NAME = 80

export class ClientLog {
  readonly #log: GatewayLog
  readonly #clock: Clock
  /** The server at whose address the clients are; `*` for all. */
  readonly #server: string
  readonly #saidAt = new Map<string, number>()
  /** The one that spoke last: mostly it speaks again. */
  #last: { readonly key: readonly unknown[]; readonly at: number } | undefined

  constructor(server: string, log: GatewayLog, clock: Clock = systemClock) {
    this.#server = server
    this.#log = log
    this.#clock = clock
  }

  /** A client has shaken hands. */
  negotiated({ peer, version, transport }: Session, { label, principal }: ClientSession): void {
    const { name, version: release } = infoOf(peer?.info)
    const words = `client ${quoted(`${name} ${release}`)} speaks ${version} over ${transport} with ${this.#where}${asPrincipal(principal)}`
    this.#log.info(`Session ${label}: ${words}`, {
      event: 'session',
      session: label,
      ...this.#facts(name, release, principal),
      version,
      transport,
    })
  }

  /** A request came that says everything about its client itself. */
  spoke({ caller, principal: given, session }: Inbound): void {
    const { version, capabilities, info } = caller
    // Where a connection is the principal, its id would open the session to who reads it.
    const principal = given === session.id ? undefined : given
    const { name, version: release } = infoOf(info)
    const declared = abilitiesOf(capabilities)
    if (!this.#isNews([version, declared.key, name, release, principal])) return
    const abilities = Object.keys(declared.capabilities)
    const declares = `it declares ${abilities.join(', ') || 'no abilities'}`
    this.#log.info(
      `Client ${quoted(`${name} ${release}`)} speaks ${version} over ${session.transport} with ${this.#where}, without a session${asPrincipal(principal)}; ${declares}`,
      { event: 'client', ...this.#facts(name, release, principal), version, transport: session.transport, abilities },
    )
  }

  #isNews(key: readonly unknown[]): boolean {
    const now = this.#clock.now()
    const last = this.#last
    if (last !== undefined && now - last.at < PACE && last.key.every((part, at) => part === key[at])) return false
    const text = JSON.stringify(key)
    const saidAt = this.#saidAt.get(text)
    const isNews = saidAt === undefined || now - saidAt >= PACE
    if (isNews && this.#saidAt.size >= MOST_REMEMBERED) this.#saidAt.clear()
    if (isNews) this.#saidAt.set(text, now)
    this.#last = { key, at: isNews ? now : (saidAt as number) }
    return isNews
  }

  get #where(): string {
    return this.#server === '*' ? 'all servers' : `server "${this.#server}"`
  }

  #facts(client: string, release: string, principal: string | undefined): Record<string, unknown> {
    return { server: this.#server, client, release, ...(principal !== undefined && { principal }) }
  }
}

/** Names that clients give themselves, which may be of any length. */
function infoOf(info: Identity | undefined): { readonly name: string; readonly version: string } {
  return {
    name: (info?.name ?? 'unknown').slice(0, LONGEST_NAME),
    version: (info?.version ?? 'unknown').slice(0, LONGEST_NAME),
  }
}

function asPrincipal(principal: string | undefined): string {
  return principal === undefined ? '' : ` as the principal ${quoted(principal)}`
}

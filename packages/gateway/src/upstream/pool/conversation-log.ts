/** Says in the log which conversations begin with a server, whose they are, and which end to make room for another. */
import { eraOf, type ProtocolVersion } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../../log/index.ts'
import { type Ownership, ownershipText, quoted } from './ownership.ts'

interface Server {
  readonly name: string
  readonly log: GatewayLog
  readonly clock: Clock
}

interface Spoken {
  readonly version: ProtocolVersion
  readonly session: {
    readonly peer: { readonly info: { readonly name: string; readonly version: string } } | undefined
    readonly transport: string
  }
}

/** What happens with each request, or whenever there is no room, is said once in so many milliseconds. */
const PACE = 60_000

export class ConversationLog {
  readonly #server: Server
  readonly #saidAt = new Map<string, number>()

  constructor(server: Server) {
    this.#server = server
  }

  opened({ version, session }: Spoken, ownership: Ownership): void {
    if (ownership.kind === 'request' && !this.#isDue('request')) return
    const { name, log } = this.#server
    const { name: server, version: release } = session.peer?.info ?? { name: 'a server', version: '' }
    const era = eraOf(version)
    const often = ownership.kind === 'request' ? '; said once a minute' : ''
    log.info(
      `${name}: conversation with ${quoted(`${server} ${release}`)} in ${version} (${era}) over ${session.transport}: ${ownershipText(ownership)}${often}`,
      {
        event: 'conversation',
        server: name,
        name: server,
        release,
        version,
        era,
        transport: session.transport,
        ...factsOf(ownership),
      },
    )
  }

  /** `silence`: for how many milliseconds its client has said nothing. */
  madeRoom(ownership: Ownership, silence: number, maxSessions: number): void {
    if (!this.#isDue('room')) return
    const { name, log } = this.#server
    const seconds = Math.round(silence / 1000)
    const words = `it has ${maxSessions} sessions already (maxSessions), so a conversation that was silent for ${seconds} s ends: ${ownershipText(ownership)}`
    log.info(`${name}: ${words}; said once a minute`, { event: 'room', server: name, silence, ...factsOf(ownership) })
  }

  #isDue(what: string): boolean {
    const now = this.#server.clock.now()
    const last = this.#saidAt.get(what)
    if (last !== undefined && now - last < PACE) return false
    this.#saidAt.set(what, now)
    return true
  }
}

function factsOf(ownership: Ownership): Record<string, unknown> {
  const { kind, ...who } = ownership
  return { whose: kind, ...who }
}

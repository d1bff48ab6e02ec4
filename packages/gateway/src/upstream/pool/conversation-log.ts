/** Logs which conversations with a server begin, who owns them, and which end to make room. */
import { eraOf, type ProtocolVersion } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../../log/index.ts'
import { type Ownership, ownershipText, quoted } from './ownership.ts'

interface ConversationLogHost {
  readonly name: string
  readonly log: GatewayLog
  readonly clock: Clock
}

interface OpenedClient {
  readonly version: ProtocolVersion
  readonly session: {
    readonly peer: { readonly info: { readonly name: string; readonly version: string } } | undefined
    readonly transport: string
  }
}

/** How long the same kind of event is not logged again, in milliseconds. */
const LOG_INTERVAL_MS = 60_000

export class ConversationLog {
  readonly #server: ConversationLogHost
  readonly #loggedAt = new Map<string, number>()

  constructor(server: ConversationLogHost) {
    this.#server = server
  }

  opened({ version, session }: OpenedClient, ownership: Ownership): void {
    if (ownership.kind === 'request' && !this.#isDue('request')) return
    const { name, log } = this.#server
    const { name: server, version: release } = session.peer?.info ?? { name: 'a server', version: '' }
    const era = eraOf(version)
    const rate = ownership.kind === 'request' ? '; said once a minute' : ''
    log.info(
      `${name}: conversation with ${quoted(`${server} ${release}`)} in ${version} (${era}) over ${session.transport}: ${ownershipText(ownership)}${rate}`,
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

  /** `silence`: how long its client has sent nothing, in milliseconds. */
  madeRoom(ownership: Ownership, silence: number, maxSessions: number): void {
    if (!this.#isDue('room')) return
    const { name, log } = this.#server
    const seconds = Math.round(silence / 1000)
    const reason = `it has ${maxSessions} sessions already (maxSessions), so a conversation that was silent for ${seconds} s ends: ${ownershipText(ownership)}`
    log.info(`${name}: ${reason}; said once a minute`, { event: 'room', server: name, silence, ...factsOf(ownership) })
  }

  #isDue(what: string): boolean {
    const now = this.#server.clock.now()
    const last = this.#loggedAt.get(what)
    if (last !== undefined && now - last < LOG_INTERVAL_MS) return false
    this.#loggedAt.set(what, now)
    return true
  }
}

function factsOf(ownership: Ownership): Record<string, unknown> {
  const { kind, ...facts } = ownership
  return { whose: kind, ...facts }
}

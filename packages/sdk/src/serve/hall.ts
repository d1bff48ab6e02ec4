/**
 * Where requests of the stateless era are answered: one session for all of them, because there is nothing to remember
 * of a client (F9).
 */
import type { Incoming } from '../jsonrpc/index.ts'
import type { CloseOptions, Session } from '../session/index.ts'
import type { Exchange } from '../transport/index.ts'
import { type HttpSettings, principalOf } from './options.ts'
import { Pulse } from './pulse.ts'
import { refuse } from './refusal.ts'
import { NO_HEADERS, pulsePeriod } from './response.ts'
import type { Acceptance } from './session-table.ts'
import { Soon } from './soon.ts'
import { StatelessLink } from './stateless-link.ts'

interface Opened {
  readonly link: StatelessLink
  readonly session: Session
}

export class Hall {
  readonly settings: HttpSettings
  readonly pulse: Pulse
  readonly soon: Soon
  readonly #server: Acceptance
  #opened: Opened | undefined
  #closing = false

  constructor(server: Acceptance, settings: HttpSettings) {
    this.#server = server
    this.settings = settings
    this.pulse = new Pulse(settings.clock, pulsePeriod(settings.heartbeat))
    this.soon = new Soon(settings.clock)
  }

  /** A request or a notification; the client of a notification learns no more than that it has come. */
  take(exchange: Exchange, incoming: Extract<Incoming, { kind: 'request' | 'notification' }>): void {
    const link = this.#opened?.link ?? this.#open()
    if (link === undefined)
      return refuse(exchange, 503, 'refusal_unavailable', 'The server is shutting down', { 'retry-after': '5' })
    const principal = principalOf(exchange, this.settings)
    if (incoming.kind === 'request') return link.ask(exchange, incoming, principal)
    link.deliver(exchange, incoming, principal)
    exchange.respond(202, NO_HEADERS)
  }

  async close(options: CloseOptions): Promise<void> {
    this.#closing = true
    await this.#opened?.session.close(options)
    this.pulse.stop()
  }

  /** On first use, and again when the session has ended. */
  #open(): StatelessLink | undefined {
    if (this.#closing) return undefined
    const { session: settings, maxRequests } = this.settings
    const link = new StatelessLink(this)
    // Limits of one client's session would be shared by all clients here.
    const session = this.#server.accept(link, { ...settings, maxInFlight: maxRequests, sharedLink: true })
    const opened: Opened = { link, session }
    this.#opened = opened
    session.onClose(() => {
      if (this.#opened === opened) this.#opened = undefined
    })
    return link
  }
}

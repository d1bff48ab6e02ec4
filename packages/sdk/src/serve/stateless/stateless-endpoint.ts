/** Answers the requests of the stateless era, with one session for all clients (F9). */
import type { Incoming } from '../../jsonrpc/index.ts'
import type { CloseOptions, Session } from '../../session/index.ts'
import type { Exchange } from '../../transport/index.ts'
import { Heartbeat } from '../heartbeat.ts'
import { NextTick } from '../next-tick.ts'
import { type HttpSettings, principalOf } from '../options.ts'
import { refuse } from '../responses/refusal.ts'
import { heartbeatPeriod, NO_HEADERS } from '../responses/response.ts'
import type { LinkAcceptor } from '../sessions/session-table.ts'
import { StatelessLink } from './stateless-link.ts'

interface OpenSession {
  readonly link: StatelessLink
  readonly session: Session
}

export class StatelessEndpoint {
  readonly settings: HttpSettings
  readonly heartbeat: Heartbeat
  readonly nextTick: NextTick
  readonly #server: LinkAcceptor
  #opened: OpenSession | undefined
  #closing = false

  constructor(server: LinkAcceptor, settings: HttpSettings) {
    this.#server = server
    this.settings = settings
    this.heartbeat = new Heartbeat(settings.clock, heartbeatPeriod(settings.heartbeat))
    this.nextTick = new NextTick(settings.clock)
  }

  /** Handles a request or a notification. A notification is only confirmed. */
  handle(exchange: Exchange, incoming: Extract<Incoming, { kind: 'request' | 'notification' }>): void {
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
    this.heartbeat.stop()
  }

  /** Opens the session on first use, and again after it has ended. */
  #open(): StatelessLink | undefined {
    if (this.#closing) return undefined
    const { session: settings, maxRequests } = this.settings
    const link = new StatelessLink(this)
    // All clients share this session, so the limits of one client do not apply.
    const session = this.#server.accept(link, { ...settings, maxInFlight: maxRequests, sharedLink: true })
    const opened: OpenSession = { link, session }
    this.#opened = opened
    session.onClose(() => {
      if (this.#opened === opened) this.#opened = undefined
    })
    return link
  }
}

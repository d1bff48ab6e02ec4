/** All servers of the gateway as one that takes links. */
import { type Clock, type Link, MemoryBudgets, Session, type SessionEvent, systemClock } from 'parley-mcp/engine'
import type { Admission, Servable } from 'parley-mcp/server'
import { createPipeline, type Pipeline } from '../../calls/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import { ClientLog, ClientSessions, type Location, type Subject } from '../../upstream/index.ts'
import type { ServerAddress } from '../server/server-address.ts'
import { AggregateEndpoint, ALL_SERVERS } from './aggregate-endpoint.ts'
import { AggregateShared } from './shared.ts'

export interface AggregateAddressOptions {
  readonly clock?: Clock
  readonly translation: 'lenient' | 'strict'
  readonly log: GatewayLog
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
  /** What happens to the calls of clients. Default: without what only a whole gateway has. */
  readonly pipeline?: Pipeline
  /** How many bytes may be kept because of clients. Default: as the SDK has it. */
  readonly budgets?: MemoryBudgets
  /** Numbers the sessions of all addresses together. Default: those of this one. */
  readonly sessions?: ClientSessions
}

/** 8.2: questions of a server come one by one; those that come within this time of each other are shown together. */
const GATHER = '30ms'

export class AggregateAddress implements Servable {
  readonly #options: AggregateAddressOptions
  readonly #budgets: MemoryBudgets
  readonly #sessions = new Map<Session, AggregateEndpoint>()
  readonly #shared: AggregateShared
  readonly #clientSessions: ClientSessions
  readonly #clientLog: ClientLog
  #closed = false

  constructor(options: AggregateAddressOptions) {
    this.#options = options
    this.#budgets = options.budgets ?? new MemoryBudgets()
    this.#clientSessions = options.sessions ?? new ClientSessions()
    this.#clientLog = new ClientLog(ALL_SERVERS, options.log, options.clock)
    this.#shared = new AggregateShared({
      log: options.log,
      clock: options.clock ?? systemClock,
      pipeline: options.pipeline ?? createPipeline(),
      onLoss: (loss) => options.onEvent?.({ type: 'loss', loss }, ALL_SERVERS),
    })
  }

  accept(link: Link, options: Admission = {}): Session {
    const { clock, translation, onEvent } = this.#options
    const client = this.#clientSessions.begin(options)
    const endpoint = new AggregateEndpoint(this.#shared, this.#clientLog, client)
    const session: Session = new Session({
      profile: translation,
      asking: { gather: GATHER },
      ...(clock && { clock }),
      onEvent: (event: SessionEvent) => {
        if (event.type === 'negotiated') this.#clientLog.negotiated(session, client)
        onEvent?.(event, ALL_SERVERS)
      },
      budgets: this.#budgets,
      ...options,
      // What a server may send is bounded where it is read.
      limits: { ...options.limits, maxSentBytes: Number.POSITIVE_INFINITY },
      role: 'server',
      link,
      endpoint,
    })
    client.began(session)
    this.#sessions.set(session, endpoint)
    session.onClose(() => this.#sessions.delete(session))
    return session
  }

  /**
   * In the order of the configuration. Servers that were there before keep everything that is known of them; clients
   * are told to look again.
   */
  setServers(servers: readonly ServerAddress[]): void {
    if (this.#closed) return
    this.#shared.setServers(servers)
    for (const endpoint of this.#sessions.values()) endpoint.serversChanged()
    this.#shared.listeners.allChanged()
  }

  /** By what is known; nobody is asked. */
  locate(subject: Subject | undefined): Location {
    const route = subject && this.#shared.state.directory.known(subject)
    return subject && route
      ? this.#shared.addressOf(route.upstream).locate({ kind: subject.kind, name: route.own })
      : { server: ALL_SERVERS, own: subject?.name }
  }

  /** Resolves when one that was taken away has answered what clients here asked of it, or has had its time for that. */
  drained(served: ServerAddress): Promise<void> {
    return new Promise((resolve) => void this.#shared.running.whenDone(served.upstream, resolve))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#shared.running.close()
    this.#shared.listeners.close()
    this.#shared.state.startupWait.setServers([])
    await Promise.allSettled([...this.#sessions.keys()].map((session) => session.close({ drain: 0 })))
  }
}

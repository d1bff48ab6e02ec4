/** All servers of the gateway as one that takes links. */
import { type AcceptOptions, type Clock, type Link, Session, type SessionEvent } from 'parley-mcp/engine'
import type { Servable } from 'parley-mcp/server'
import type { ServedUpstream } from '../bridge/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { AggregateEndpoint } from './endpoint.ts'

export interface AggregateOptions {
  readonly clock?: Clock
  readonly translation: 'lenient' | 'strict'
  readonly log: GatewayLog
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
}

/** What the aggregate is called in logs and counters; no server can have this name. */
const NAME = '*'

export class AggregateServable implements Servable {
  readonly #servers: () => readonly ServedUpstream[]
  readonly #options: AggregateOptions
  readonly #sessions = new Set<Session>()

  constructor(servers: () => readonly ServedUpstream[], options: AggregateOptions) {
    this.#servers = servers
    this.#options = options
  }

  accept(link: Link, options: AcceptOptions = {}): Session {
    const { clock, translation, onEvent } = this.#options
    const session = new Session({
      profile: translation,
      ...(clock && { clock }),
      ...(onEvent && { onEvent: (event: SessionEvent) => onEvent(event, NAME) }),
      ...options,
      role: 'server',
      link,
      endpoint: new AggregateEndpoint(this.#servers),
    })
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    return session
  }

  /** Servers were added, removed or replaced. */
  serversChanged(): void {}

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions].map((session) => session.close({ drain: 0 })))
  }
}

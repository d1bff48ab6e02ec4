/** All servers of the gateway as one that takes links. */
import { type AcceptOptions, type Clock, type Link, Session, type SessionEvent, systemClock } from 'parley-mcp/engine'
import type { Servable } from 'parley-mcp/server'
import type { ServedUpstream } from '../bridge/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { SELF } from '../upstream/index.ts'
import { Directory } from './directory.ts'
import { AggregateEndpoint, type Whole } from './endpoint.ts'
import { AggregateListeners } from './listeners.ts'

export interface AggregateOptions {
  readonly clock?: Clock
  readonly translation: 'lenient' | 'strict'
  readonly log: GatewayLog
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
}

/** What the aggregate is called in logs and counters; no server can have this name. */
const NAME = '*'
/** How long clients wait for servers that have not been reached yet, in milliseconds: what comes later is told as a change. */
const GRACE = 3000

export class AggregateServable implements Servable {
  readonly #servers: () => readonly ServedUpstream[]
  readonly #options: AggregateOptions
  readonly #sessions = new Set<Session>()
  readonly #whole: Whole
  readonly #clock: Clock
  #settling: Promise<void> | undefined
  #settled = false

  constructor(servers: () => readonly ServedUpstream[], options: AggregateOptions) {
    this.#servers = servers
    this.#options = options
    this.#clock = options.clock ?? systemClock
    const directory = new Directory(servers, options.log, this.#clock)
    const listeners = new AggregateListeners(directory, this.#clock)
    // An object of its own: who introduces itself is known by it.
    this.#whole = { self: { ...SELF }, servers, directory, listeners, settled: () => this.#settle() }
  }

  accept(link: Link, options: AcceptOptions = {}): Session {
    const { clock, translation, onEvent } = this.#options
    this.#whole.listeners.follow(this.#servers())
    const session = new Session({
      profile: translation,
      ...(clock && { clock }),
      ...(onEvent && { onEvent: (event: SessionEvent) => onEvent(event, NAME) }),
      ...options,
      role: 'server',
      link,
      endpoint: new AggregateEndpoint(this.#whole),
    })
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    return session
  }

  /** Servers were added, removed or replaced. */
  serversChanged(): void {
    this.#settled = false
    this.#whole.listeners.follow(this.#servers())
    this.#whole.listeners.allChanged()
  }

  async close(): Promise<void> {
    this.#whole.listeners.close()
    await Promise.allSettled([...this.#sessions].map((session) => session.close({ drain: 0 })))
  }

  /** One slow or dead server delays nobody for long, and only the first clients. */
  #settle(): Promise<void> | undefined {
    if (this.#settled) return undefined
    this.#settling ??= new Promise<void>((resolve) => {
      const done = (): void => {
        stop()
        this.#settled = true
        this.#settling = undefined
        resolve()
      }
      const stop = this.#clock.after(GRACE, done)
      const reached = this.#servers().flatMap(({ upstream }) => (upstream.config.lazy ? [] : [upstream.ready()]))
      void Promise.allSettled(reached).then(done)
    })
    return this.#settling
  }
}

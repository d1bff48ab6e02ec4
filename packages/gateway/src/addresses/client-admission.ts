/** Opens the sessions of clients at one address, with the same limits at each address, and keeps the open ones. */
import {
  type Clock,
  type Endpoint,
  type Link,
  MemoryBudgets,
  Session,
  type SessionEvent,
  type SessionOptions,
} from 'parley-mcp/engine'
import type { Admission } from 'parley-mcp/server'
import type { Pipeline } from '../calls/index.ts'
import { type ClientLog, type ClientSession, ClientSessions } from '../upstream/index.ts'

export interface AddressOptions {
  readonly clock?: Clock
  readonly translation: 'lenient' | 'strict'
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
  /** The stages that calls of clients pass. Default: the stages that every gateway has. */
  readonly pipeline?: Pipeline
  /** How many bytes may be kept because of clients. Default: the budgets of the SDK. */
  readonly budgets?: MemoryBudgets
  /** Numbers the sessions of all addresses together. Default: the sessions of this address alone. */
  readonly sessions?: ClientSessions
}

/** Servers send questions one by one. Questions that arrive within this time of each other are shown together. */
const QUESTION_GATHER_TIME = '30ms'

export class ClientAdmission<ClientEndpoint extends Endpoint> {
  readonly #address: string
  readonly #clientLog: ClientLog
  readonly #options: AddressOptions
  readonly #budgets: MemoryBudgets
  readonly #clientSessions: ClientSessions
  readonly #open = new Map<Session, ClientEndpoint>()

  /** `address`: its name in the log, in counters and for the limit. */
  constructor(address: string, clientLog: ClientLog, options: AddressOptions) {
    this.#address = address
    this.#clientLog = clientLog
    this.#options = options
    this.#budgets = options.budgets ?? new MemoryBudgets()
    this.#clientSessions = options.sessions ?? new ClientSessions()
  }

  accept(
    link: Link,
    admission: Admission,
    endpointFor: (client: ClientSession) => ClientEndpoint,
    defaults: Pick<SessionOptions, 'initialiseTimeout'> = {},
  ): Session {
    const { clock, translation, onEvent } = this.#options
    const client = this.#clientSessions.begin(admission)
    const endpoint = endpointFor(client)
    const session: Session = new Session({
      ...defaults,
      profile: translation,
      asking: { gather: QUESTION_GATHER_TIME },
      ...(clock && { clock }),
      onEvent: (event: SessionEvent) => {
        if (event.type === 'negotiated') this.#clientLog.negotiated(session, client)
        onEvent?.(event, this.#address)
      },
      budgets: this.#budgets,
      ...admission,
      // The gateway limits what a server sends where it reads it.
      limits: { ...admission.limits, maxSentBytes: Number.POSITIVE_INFINITY },
      role: 'server',
      link,
      endpoint,
    })
    client.began(session)
    this.#open.set(session, endpoint)
    session.onClose(() => this.#open.delete(session))
    return session
  }

  get size(): number {
    return this.#open.size
  }

  endpoints(): Iterable<ClientEndpoint> {
    return this.#open.values()
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((session) => session.close({ drain: 0 })))
  }
}

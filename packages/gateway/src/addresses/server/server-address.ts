/** One server of the gateway as something that takes links: HTTP sessions, sockets, standard input and output. */
import {
  type Body,
  type Clock,
  type Inbound,
  type Link,
  MemoryBudgets,
  Session,
  type SessionEvent,
} from 'parley-mcp/engine'
import type { Admission, Servable } from 'parley-mcp/server'
import { createPipeline, type FollowedTasks, type Pipeline, TaskRuns } from '../../calls/index.ts'
import { ServerListeners } from '../../following/index.ts'
import {
  ClientLog,
  type ClientSession,
  ClientSessions,
  type Conversation,
  type Location,
  type Subject,
  type Upstream,
} from '../../upstream/index.ts'
import { ServerEndpoint, type Shared } from './server-endpoint.ts'
import type { View } from './server-view.ts'

export interface ServerAddressOptions {
  readonly clock?: Clock
  readonly translation: 'lenient' | 'strict'
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

/** Clients may have to wait until a server that is only now started can be spoken to (L2). */
const INITIALISE_TIMEOUT = '90s'

export class ServerAddress implements Servable {
  readonly upstream: Upstream
  readonly #shared: Shared
  readonly #options: ServerAddressOptions
  readonly #budgets: MemoryBudgets
  readonly #sessions = new Set<Session>()
  readonly #clientSessions: ClientSessions

  constructor(upstream: Upstream, options: ServerAddressOptions) {
    this.upstream = upstream
    this.#options = options
    this.#budgets = options.budgets ?? new MemoryBudgets()
    const tasks = new TaskRuns(upstream)
    this.#clientSessions = options.sessions ?? new ClientSessions()
    const clientLog = new ClientLog(upstream.name, upstream.log, upstream.clock)
    this.#shared = {
      upstream,
      listeners: new ServerListeners(upstream, tasks),
      tasks,
      clientLog,
      pipeline: options.pipeline ?? createPipeline(),
    }
  }

  /** For whoever shows this server among others: one client's way to it. */
  endpoint(view?: View, client?: ClientSession): ServerEndpoint {
    return new ServerEndpoint(view === undefined ? this.#shared : { ...this.#shared, view }, client)
  }

  /** For whoever listens to tasks of several servers at once. */
  followTasks(
    inbound: Inbound,
    conversation: Conversation,
    taskIds: readonly string[],
    tell: (task: Body) => void,
  ): Promise<FollowedTasks> {
    return this.#shared.tasks.follow(inbound, conversation, taskIds, tell)
  }

  accept(link: Link, options: Admission = {}): Session {
    const { clock, translation, onEvent } = this.#options
    const { name } = this.upstream
    const client = this.#clientSessions.begin(options)
    const endpoint = this.endpoint(undefined, client)
    const session: Session = new Session({
      initialiseTimeout: INITIALISE_TIMEOUT,
      profile: translation,
      asking: { gather: GATHER },
      ...(clock && { clock }),
      onEvent: (event: SessionEvent) => {
        if (event.type === 'negotiated') this.#shared.clientLog.negotiated(session, client)
        onEvent?.(event, name)
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
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    return session
  }

  locate(subject: Subject | undefined): Location {
    const { name, tools } = this.upstream
    return { server: name, own: subject?.kind === 'tool' ? tools.nameAtServer(subject.name) : subject?.name }
  }

  get sessions(): number {
    return this.#sessions.size
  }

  async close(): Promise<void> {
    this.#shared.listeners.endAll()
    // Whoever listened gets its answer before the end.
    await new Promise<void>((resolve) => setImmediate(resolve))
    await Promise.allSettled([...this.#sessions].map((session) => session.close({ drain: 0 })))
    await this.#shared.tasks.close()
    await this.upstream.close()
  }
}

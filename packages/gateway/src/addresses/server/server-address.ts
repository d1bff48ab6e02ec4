/** One server of the gateway as something that takes links: HTTP sessions, sockets, standard input and output. */
import type { Body, Inbound, Link, Session } from 'parley-mcp/engine'
import type { Admission, Servable } from 'parley-mcp/server'
import { createPipeline, type FollowedTasks, TaskRuns } from '../../calls/index.ts'
import { ServerListeners } from '../../following/index.ts'
import {
  ClientLog,
  type ClientSession,
  type Conversation,
  type Location,
  type Subject,
  type Upstream,
} from '../../upstream/index.ts'
import { type AddressOptions, ClientAdmission } from '../client-admission.ts'
import { ServerEndpoint, type ServerShared, type ServerView } from './server-endpoint.ts'

/** A client may have to wait until its server is started (L2). */
const INITIALISE_TIMEOUT = '90s'

export class ServerAddress implements Servable {
  readonly upstream: Upstream
  readonly #shared: ServerShared
  readonly #admission: ClientAdmission<ServerEndpoint>

  constructor(upstream: Upstream, options: AddressOptions) {
    this.upstream = upstream
    const tasks = new TaskRuns(upstream)
    const clientLog = new ClientLog(upstream.name, upstream.log, upstream.clock)
    this.#shared = {
      upstream,
      listeners: new ServerListeners(upstream, tasks),
      tasks,
      clientLog,
      pipeline: options.pipeline ?? createPipeline(),
    }
    this.#admission = new ClientAdmission(upstream.name, clientLog, options)
  }

  /** One client's endpoint at this server. The address of all servers passes a `view`. */
  endpoint(view?: ServerView, client?: ClientSession): ServerEndpoint {
    return new ServerEndpoint(view === undefined ? this.#shared : { ...this.#shared, view }, client)
  }

  /** For the address of all servers, where one client listens to tasks of several servers. */
  followTasks(
    inbound: Inbound,
    conversation: Conversation,
    taskIds: readonly string[],
    tell: (task: Body) => void,
  ): Promise<FollowedTasks> {
    return this.#shared.tasks.follow(inbound, conversation, taskIds, tell)
  }

  accept(link: Link, options: Admission = {}): Session {
    return this.#admission.accept(link, options, (client) => this.endpoint(undefined, client), {
      initialiseTimeout: INITIALISE_TIMEOUT,
    })
  }

  locate(subject: Subject | undefined): Location {
    const { name, tools } = this.upstream
    return {
      server: name,
      nameAtServer: subject?.kind === 'tool' ? tools.nameAtServer(subject.name) : subject?.name,
    }
  }

  get sessions(): number {
    return this.#admission.size
  }

  async close(): Promise<void> {
    this.#shared.listeners.endAll()
    // Listeners get their answer before the session ends.
    await new Promise<void>((resolve) => setImmediate(resolve))
    await this.#admission.close()
    await this.#shared.tasks.close()
    await this.upstream.close()
  }
}

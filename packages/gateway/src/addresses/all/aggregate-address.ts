/** All servers of the gateway as one that takes links. */
import { type Link, type Session, systemClock } from 'parley-mcp/engine'
import type { Admission, Servable } from 'parley-mcp/server'
import { createPipeline } from '../../calls/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import { ClientLog, type Location, type Subject } from '../../upstream/index.ts'
import { type AddressOptions, ClientAdmission } from '../client-admission.ts'
import type { ServerAddress } from '../server/server-address.ts'
import { AggregateEndpoint, ALL_SERVERS } from './aggregate-endpoint.ts'
import { AggregateShared } from './aggregate-shared.ts'

export interface AggregateAddressOptions extends AddressOptions {
  readonly log: GatewayLog
}

export class AggregateAddress implements Servable {
  readonly #shared: AggregateShared
  readonly #clientLog: ClientLog
  readonly #admission: ClientAdmission<AggregateEndpoint>
  #closed = false

  constructor(options: AggregateAddressOptions) {
    const { log, clock, pipeline, onEvent } = options
    this.#clientLog = new ClientLog(ALL_SERVERS, log, clock)
    this.#admission = new ClientAdmission(ALL_SERVERS, this.#clientLog, options)
    this.#shared = new AggregateShared({
      log,
      clock: clock ?? systemClock,
      pipeline: pipeline ?? createPipeline(),
      onLoss: (loss) => onEvent?.({ type: 'loss', loss }, ALL_SERVERS),
    })
  }

  accept(link: Link, options: Admission = {}): Session {
    return this.#admission.accept(
      link,
      options,
      (client) => new AggregateEndpoint(this.#shared, this.#clientLog, client),
    )
  }

  /**
   * In the order of the configuration. The gateway keeps all that it knows of servers that stay. It tells clients to
   * read the lists again.
   */
  setServers(servers: readonly ServerAddress[]): void {
    if (this.#closed) return
    this.#shared.setServers(servers)
    for (const endpoint of this.#admission.endpoints()) endpoint.serversChanged()
    this.#shared.listeners.allChanged()
  }

  /** Uses known names and URIs only. It sends no request. */
  locate(subject: Subject | undefined): Location {
    const route = subject && this.#shared.state.directory.known(subject)
    return subject && route
      ? this.#shared.addressOf(route.upstream).locate({ kind: subject.kind, name: route.nameAtServer })
      : { server: ALL_SERVERS, nameAtServer: subject?.name }
  }

  /** Resolves when a removed server has answered the calls of clients here, or its time for that is over. */
  drained({ upstream }: ServerAddress): Promise<void> {
    return new Promise((resolve) => void this.#shared.running.whenDone(upstream, resolve))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#shared.running.close()
    this.#shared.listeners.close()
    this.#shared.state.startupWait.setServers([])
    await this.#admission.close()
  }
}

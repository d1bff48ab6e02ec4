/** The gateway: all configured servers, each at an address of its own and all of them at one, for as long as it runs. */
import { dirname, join } from 'node:path'
import type { Clock, SessionEvent } from 'parley-mcp/engine'
import { AggregateServable } from '../aggregate/index.ts'
import { ServedUpstream } from '../bridge/index.ts'
import { PinBook } from '../catalogue/index.ts'
import { diffConfig, type GatewayConfig, type ServerConfig } from '../config/index.ts'
import { GatewaySite, type Listening, Metrics, type Readiness, type ServerState } from '../http/index.ts'
import { type GatewayLog, silentLog } from '../log/index.ts'
import { Upstream } from '../upstream/index.ts'
import { GatewayCounters } from './counters.ts'

export interface GatewayOptions {
  readonly log?: GatewayLog
  readonly clock?: Clock
  /** Path of the configuration: beside it the pins are kept. */
  readonly file?: string
}

export class Gateway {
  readonly site: GatewaySite
  readonly metrics = new Metrics()
  readonly #options: GatewayOptions
  readonly #log: GatewayLog
  readonly #counters: GatewayCounters
  readonly #served = new Map<string, ServedUpstream>()
  readonly #aggregate: AggregateServable
  #config: GatewayConfig
  #pins: PinBook | undefined
  #reloading: Promise<void> = Promise.resolve()

  constructor(config: GatewayConfig, options: GatewayOptions = {}) {
    this.#config = config
    this.#options = options
    this.#log = options.log ?? silentLog
    this.#counters = new GatewayCounters(
      this.metrics,
      this.#log,
      () => this.upstreams,
      () => this.sessions,
    )
    this.#aggregate = new AggregateServable(() => [...this.#served.values()], {
      translation: config.gateway.translation,
      log: this.#log,
      ...(options.clock && { clock: options.clock }),
      onEvent: (event, upstream) => this.#onEvent(event, upstream),
    })
    const { host, port, allowedHosts, allowedOrigins, principalHeader } = config.gateway
    this.site = new GatewaySite({
      host,
      port,
      allowedHosts,
      allowedOrigins,
      principalHeader,
      readiness: () => this.readiness(),
      metricsText: () => this.metrics.text(),
      log: (message, error) => this.#log.error(error instanceof Error ? `${message}: ${error.message}` : message),
      ...(options.clock && { clock: options.clock }),
    })
  }

  get upstreams(): readonly Upstream[] {
    return [...this.#served.values()].map(({ upstream }) => upstream)
  }

  get sessions(): number {
    return this.site.sessions
  }

  /** Listens at once; servers are started beside it, and clients that need one wait for it. */
  async start(): Promise<Listening> {
    this.#pins = await this.#openPins()
    for (const server of this.#config.servers.values()) await this.#add(server)
    await this.site.setAggregate(this.#aggregate)
    return this.site.listen()
  }

  /** Starts what is not to be started by its first client; resolves when each has been reached or has failed. */
  async reach(): Promise<void> {
    await Promise.allSettled(this.upstreams.filter(({ config }) => !config.lazy).map((upstream) => upstream.home()))
  }

  /** Sessions of servers that have not changed go on. One reload after the other. */
  reload(config: GatewayConfig): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#apply(config))
    return this.#reloading
  }

  readiness(): Readiness {
    const servers = this.upstreams.map(stateOf)
    return { ready: servers.every(({ ready }) => ready), servers }
  }

  async close(drain: number | string = '5s'): Promise<void> {
    await this.site.close({ drain: drain as never })
    await this.#aggregate.close()
    await Promise.allSettled([...this.#served.values()].map((served) => served.close()))
    await this.#pins?.settled()
  }

  async #apply(config: GatewayConfig): Promise<void> {
    const diff = diffConfig(this.#config, config)
    this.#config = config
    if (diff.gatewayChanged.length > 0) this.#log.warning(`Changed, but only in force after a restart: gateway.${diff.gatewayChanged.join(', gateway.')}`)
    for (const name of [...diff.removed, ...diff.changed]) await this.#remove(name)
    for (const name of [...diff.added, ...diff.changed]) await this.#add(config.servers.get(name) as ServerConfig)
    const said = [...diff.added.map((name) => `+${name}`), ...diff.removed.map((name) => `-${name}`), ...diff.changed.map((name) => `~${name}`)]
    if (said.length === 0) return
    this.#log.info(`Configuration read again: ${said.join(' ')}`)
    this.#aggregate.serversChanged()
    const begun = [...diff.added, ...diff.changed].map((name) => this.#served.get(name)?.upstream).filter((upstream) => upstream !== undefined)
    await Promise.allSettled(begun.filter(({ config: own }) => !own.lazy).map((upstream) => upstream.home()))
  }

  async #add(config: ServerConfig): Promise<void> {
    const { log, clock } = { log: this.#log, clock: this.#options.clock }
    const { translation } = this.#config.gateway
    const onEvent = (event: SessionEvent, upstream: string): void => this.#onEvent(event, upstream)
    const upstream = new Upstream(config, { log, translation, onEvent, ...(clock && { clock }) })
    upstream.tools.pins = this.#pins
    const served = new ServedUpstream(upstream, { translation, onEvent, ...(clock && { clock }) })
    this.#served.set(config.name, served)
    await this.site.addServer(config.name, served)
  }

  async #remove(name: string): Promise<void> {
    const served = this.#served.get(name)
    if (served === undefined) return
    this.#served.delete(name)
    await this.site.removeServer(name)
    await served.close()
  }

  #onEvent(event: SessionEvent, upstream: string): void {
    this.#counters.count(event, upstream)
  }

  async #openPins(): Promise<PinBook> {
    const wanted = [...this.#config.servers.values()].some(({ tools }) => tools.pin !== 'off')
    const { file } = this.#options
    const path = this.#config.gateway.pins ?? (file === undefined ? undefined : join(dirname(file), 'parley.pins.json'))
    const onProblem = (problem: Error): void => this.#log.error(problem.message)
    return wanted && path !== undefined ? PinBook.open(path, { onProblem }) : PinBook.inMemory({ onProblem })
  }
}

function stateOf(upstream: Upstream): ServerState {
  const { state, lastError } = upstream.status()
  const ready = state === 'running' || ((state === 'idle' || state === 'starting') && lastError === undefined)
  const detail = ready ? upstream.version : lastError
  return { name: upstream.name, state, ready, ...(detail === undefined ? {} : { detail }) }
}

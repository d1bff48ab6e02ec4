/** The gateway: each configured server at its own address, and all of them at one address, while it runs. */
import { dirname, join } from 'node:path'
import { type Clock, MemoryBudgets, type SessionEvent } from 'parley-mcp/engine'
import { isLoopback } from 'parley-mcp/node'
import { AggregateAddress, ServerAddress } from '../addresses/index.ts'
import { createPipeline, type Pipeline } from '../calls/index.ts'
import { ToolPins } from '../catalogue/index.ts'
import {
  type ConfigDiff,
  changedSettings,
  diffConfig,
  type GatewayConfig,
  type GatewaySettings,
  hasLocalUser,
  type ServerConfig,
} from '../config/index.ts'
import { GatewaySite, type Listening, Metrics, type Readiness, type ServerState } from '../http/index.ts'
import { ClientLimit } from '../limits/index.ts'
import { changedLog, type GatewayLog, silentLog } from '../log/index.ts'
import { type Redact, redactionFor } from '../supervision/index.ts'
import { ClientSessions, type Help, keepRunning, Upstream } from '../upstream/index.ts'
import { conversationsOf } from './conversations.ts'
import { GatewayCounters } from './counters.ts'
import { Receipts } from './receipts.ts'
import { serverState } from './server-state.ts'

export interface GatewayOptions {
  readonly log?: GatewayLog
  readonly clock?: Clock
  /** The path of the configuration. The pins are kept beside it. */
  readonly file?: string
  /** The command that starts this program on this machine, for clients that start programs. */
  readonly program?: readonly string[]
  /** The hint for the operator in messages about failures of a server. */
  readonly help?: (server: string) => Help
}

/** Settings that a reload changes. All others need a restart. */
const RELOADABLE: ReadonlySet<keyof GatewaySettings> = new Set<keyof GatewaySettings>([
  'rateLimit',
  'requiredServers',
  'maxMessageSize',
])

export class Gateway {
  readonly site: GatewaySite
  readonly metrics = new Metrics()
  readonly #options: GatewayOptions
  readonly #log: GatewayLog
  readonly #counters: GatewayCounters
  readonly #receipts: Receipts
  /** By server: removes the secrets of its configuration from texts for the log. */
  readonly #redactions = new Map<string, Redact>()
  readonly #addresses = new Map<string, ServerAddress>()
  readonly #aggregate: AggregateAddress
  readonly #clients: ClientLimit
  readonly #pipeline: Pipeline
  readonly #budgets: MemoryBudgets
  readonly #clientSessions = new ClientSessions()
  /** The settings at the start, in force until the end. */
  readonly #settings: GatewaySettings
  /** The configuration of the last reload. */
  #config: GatewayConfig
  #pins: ToolPins | undefined
  #reloading: Promise<void> = Promise.resolve()
  /** The end of the servers that the last reload removed. They finish their calls first. */
  #ending: Promise<unknown> = Promise.resolve()
  #closed = false
  /** During shutdown: the servers that have not ended. */
  #leaving: Set<string> | undefined

  constructor(config: GatewayConfig, options: GatewayOptions = {}) {
    this.#config = config
    this.#settings = config.gateway
    this.#options = options
    this.#log = changedLog(options.log ?? silentLog, (text) => this.redact(text))
    this.#budgets = new MemoryBudgets(config.gateway.memory, 'gateway.memory')
    this.#counters = new GatewayCounters(
      this.metrics,
      this.#log,
      () => this.upstreams,
      () => this.sessions,
      this.#budgets.total,
    )
    this.#clients = new ClientLimit({
      limit: config.gateway.rateLimit,
      clock: options.clock,
      onRefused: (refused) => this.#counters.refuse(refused),
    })
    this.#pipeline = createPipeline({ clients: this.#clients })
    this.#receipts = new Receipts({ metrics: this.metrics, log: this.#log, clock: options.clock })
    this.#aggregate = new AggregateAddress({
      translation: config.gateway.translation,
      log: this.#log,
      ...(options.clock && { clock: options.clock }),
      onEvent: (event, upstream) => this.#onEvent(event, upstream),
      pipeline: this.#pipeline,
      budgets: this.#budgets,
      sessions: this.#clientSessions,
    })
    const { host, port, allowedHosts, allowedOrigins, metricsHosts, principalHeader, sessionIdle, maxRequestSize } =
      config.gateway
    this.site = new GatewaySite({
      host,
      port,
      allowedHosts,
      allowedOrigins,
      metricsHosts,
      principalHeader,
      sessionIdle,
      maxRequestSize,
      program: options.program,
      readiness: () => this.readiness(),
      metricsText: () => this.metrics.text(),
      log: (message, error) => this.#log.error(error instanceof Error ? `${message}: ${error.message}` : message),
      ...(options.clock && { clock: options.clock }),
    })
  }

  /** The text without the secrets of all servers. */
  redact(text: string): string {
    return [...this.#redactions.values()].reduce((clean, redact) => redact(clean), text)
  }

  get upstreams(): readonly Upstream[] {
    return this.#inOrder().map(({ upstream }) => upstream)
  }

  get sessions(): number {
    return this.site.sessions
  }

  /** Listens at once. Servers start in parallel, and clients wait for the server they need. */
  async start(): Promise<Listening> {
    this.#pins = await this.#openPins(this.#config)
    await this.#receipts.begin(this.#settings.audit, this.#config)
    try {
      return await this.#listen()
    } catch (error) {
      await this.#receipts.end()
      throw error
    }
  }

  async #listen(): Promise<Listening> {
    for (const server of this.#config.servers.values()) {
      const address = this.#make(server)
      this.#addresses.set(server.name, address)
      await this.site.addServer(server.name, this.#receipts.of(address))
    }
    this.#aggregate.setServers(this.#inOrder())
    await this.site.setAggregate(this.#receipts.of(this.#aggregate))
    return await this.site.listen()
  }

  /** Starts all servers that are not lazy. Resolves when each was reached or has failed. */
  async reach(): Promise<void> {
    await Promise.allSettled(
      this.upstreams.filter(({ config }) => !config.lazy).map((upstream) => upstream.gatewayConversation()),
    )
  }

  /** Sessions of unchanged servers go on. Reloads run one after the other. */
  reload(config: GatewayConfig): Promise<void> {
    const before = this.#reloading.catch(() => {})
    this.#reloading = before.then(() => this.#apply(config))
    return this.#reloading
  }

  /** Ready when the gateway is open and all required servers can be used. */
  readiness(): Readiness {
    const servers = this.upstreams.map((upstream) => this.#stateOf(upstream))
    const required = new Set(this.#config.gateway.requiredServers)
    const ready = !this.#closed && servers.every((server) => server.ready || !required.has(server.name))
    return {
      ready,
      servers: servers.map((server) => (required.has(server.name) ? { ...server, required: true } : server)),
    }
  }

  #stateOf(upstream: Upstream): ServerState {
    const conversations = conversationsOf(upstream, this.#settings)
    return { ...serverState(upstream), ...(conversations && { conversations }) }
  }

  /** The names of the servers that delay shutdown: they work on requests, or have not ended yet. */
  get awaited(): readonly string[] {
    const busy = this.upstreams.filter(({ bulkhead }) => bulkhead.stats().running > 0).map(({ name }) => name)
    return [...(this.#leaving ?? busy)]
  }

  async close(drain: number | string = '5s'): Promise<void> {
    this.#closed = true
    await this.site.close({ drain: drain as never })
    await this.#aggregate.close()
    const leaving = new Set(this.#addresses.keys())
    this.#leaving = leaving
    const leave = ([name, address]: [string, ServerAddress]): Promise<unknown> =>
      address.close().finally(() => leaving.delete(name))
    await Promise.allSettled([...[...this.#addresses].map(leave), this.#ending])
    await this.#pins?.settled()
    await this.#receipts.end()
  }

  async #apply(config: GatewayConfig): Promise<void> {
    if (this.#closed) return
    const diff = diffConfig(this.#config, config)
    this.#pins = await this.#openPins(config)
    if (this.#closed) return
    this.#config = config
    this.#receipts.reloaded(config)
    this.#sayWhatWaits(diff, config)
    this.#clients.limit = config.gateway.rateLimit
    const before = new Map(this.#addresses)
    for (const name of diff.relimited)
      (this.#addresses.get(name) as ServerAddress).upstream.rate.limit = config.servers.get(name)?.rateLimit
    for (const name of diff.removed) this.#addresses.delete(name)
    for (const name of [...diff.added, ...diff.changed])
      this.#addresses.set(name, this.#make(config.servers.get(name) as ServerConfig))
    // From now on clients of all servers use the new servers. The old ones end in the background.
    if (diff.reordered || diff.added.length + diff.removed.length + diff.changed.length > 0)
      this.#aggregate.setServers(this.#inOrder())
    const ending = Promise.all([...diff.removed, ...diff.changed].map((name) => this.#end(name, before.get(name))))
    this.#ending = ending
    // The new configuration is in force even if an old server fails to end.
    const ended = ending.catch((error: unknown) =>
      this.#log.error(
        `The configuration is in force, but not all replaced servers have ended: ${error instanceof Error ? error.message : String(error)}`,
      ),
    )
    await Promise.all([this.#begin(diff), ended])
  }

  /** Warns of changed settings that need a restart. A setting with its value at the start needs none. */
  #sayWhatWaits({ gatewayChanged }: ConfigDiff, { gateway }: GatewayConfig): void {
    const waiting = changedSettings(this.#settings, gateway).filter(
      (key) => gatewayChanged.includes(key) && !RELOADABLE.has(key),
    )
    if (waiting.length > 0)
      this.#log.warning(`Changed, but only in force after a restart: gateway.${waiting.join(', gateway.')}`)
  }

  /** New clients use the new servers while the old ones finish. */
  async #begin(diff: ConfigDiff): Promise<void> {
    await Promise.all([...diff.added, ...diff.changed].map((name) => this.#serve(name)))
    if (this.#closed) return
    const said = (['added', 'removed', 'changed'] as const).flatMap((what) =>
      diff[what].length === 0 ? [] : [`${what}: ${diff[what].join(', ')}`],
    )
    const limits = [...(diff.gatewayChanged.includes('rateLimit') ? ['gateway'] : []), ...diff.relimited]
    if (limits.length > 0) said.push(`rate limit: ${limits.join(', ')}`)
    if (diff.reordered) said.push(`order: ${[...this.#config.servers.keys()].join(', ')}`)
    if (said.length === 0) return
    this.#log.info(`The configuration was read again; ${said.join('; ')}`)
    const begun = [...diff.added, ...diff.changed]
      .map((name) => this.#addresses.get(name)?.upstream)
      .filter((upstream) => upstream !== undefined)
    await Promise.allSettled(begun.filter(({ config: own }) => !own.lazy).map((upstream) => this.#reach(upstream)))
  }

  async #reach(upstream: Upstream): Promise<void> {
    await upstream.gatewayConversation()
    this.#log.info(`${upstream.name}: reached, speaks ${upstream.version}`, { server: upstream.name })
  }

  /** In the order of the configuration. */
  #inOrder(): ServerAddress[] {
    return [...this.#config.servers.keys()].flatMap((name) => this.#addresses.get(name) ?? [])
  }

  #make(config: ServerConfig): ServerAddress {
    this.#redactions.set(config.name, redactionFor(config.target))
    const { log, clock } = { log: this.#log, clock: this.#options.clock }
    const { translation, host, principalHeader } = this.#settings
    const onEvent = (event: SessionEvent, upstream: string): void => this.#onEvent(event, upstream)
    // A user alone on the machine may read the output of the servers.
    const severalClients = principalHeader !== undefined || !isLoopback(host)
    const upstream = new Upstream(config, {
      log,
      translation,
      onEvent,
      onRefused: (refused) => this.#counters.refuse(refused),
      severalClients,
      localUser: hasLocalUser(this.#settings),
      conversationIdle: this.#settings.sessionIdle,
      help: this.#options.help?.(config.name),
      ...(clock && { clock }),
    })
    upstream.tools.usePins(this.#pins)
    // It ends with the supervisor of the server.
    if (!config.lazy) keepRunning(upstream)
    return new ServerAddress(upstream, {
      translation,
      onEvent,
      pipeline: this.#pipeline,
      budgets: this.#budgets,
      sessions: this.#clientSessions,
      ...(clock && { clock }),
    })
  }

  /** A server without an address does not stop the others. */
  async #serve(name: string): Promise<void> {
    const address = this.#addresses.get(name) as ServerAddress
    try {
      await this.site.addServer(name, this.#receipts.of(address))
    } catch (error) {
      // `close` ends all servers that are in the map.
      if (this.#closed) return
      this.#addresses.delete(name)
      this.#aggregate.setServers(this.#inOrder())
      await address.close()
      this.#log.error(`${name}: cannot be served: ${error instanceof Error ? error.message : String(error)}`, {
        server: name,
      })
    }
  }

  async #end(name: string, address: ServerAddress | undefined): Promise<void> {
    // Adding its address may have failed.
    if (address === undefined) return
    await Promise.all([this.site.removeServer(name), this.#aggregate.drained(address)])
    await address.close()
  }

  #onEvent(event: SessionEvent, upstream: string): void {
    this.#counters.count(event, upstream)
  }

  /** Opened for the first server that pins its tools. The path is that of the settings at the start. */
  async #openPins(config: GatewayConfig): Promise<ToolPins | undefined> {
    if (this.#pins !== undefined || [...config.servers.values()].every(({ tools }) => tools.pin === 'off'))
      return this.#pins
    const { file } = this.#options
    const path = this.#settings.pins ?? (file === undefined ? undefined : join(dirname(file), 'parley.pins.json'))
    const onProblem = (problem: Error): void => this.#log.error(problem.message)
    return path === undefined ? ToolPins.inMemory({ onProblem }) : ToolPins.open(path, { onProblem })
  }
}

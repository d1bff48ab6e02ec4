/**
 * The gateway's port. Serves every server alone and all servers together over every transport, and the pages for people
 * and monitors.
 */
import { ParleyError } from 'parley-mcp'
import type { Duration } from 'parley-mcp/engine'
import { type Served, type SiteServing, serveSite } from 'parley-mcp/node'
import type { Servable } from 'parley-mcp/server'
import { endpointsOf } from './endpoints.ts'
import { pathHints } from './path-hints.ts'
import { type GatewaySiteOptions, listenError, siteOptions } from './site-options.ts'

export interface Listening {
  /** Without a path: `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
}

export interface DrainOptions {
  /** How long running requests may take to finish. Default 5 s. */
  drain?: Duration
}

/** The key of the aggregate among the servers. No server can have this name. */
const AGGREGATE = ''

export class GatewaySite {
  readonly #options: GatewaySiteOptions
  readonly #servers = new Map<string, Servable>()
  /** Servers that are served, or about to be. */
  readonly #served = new Map<string, Promise<Served>>()
  /** Names whose paths are still in use by a removed server. */
  readonly #freeing = new Map<string, Promise<unknown>>()
  /** Removed servers that finish their requests, perhaps beside a new server of the same name. */
  readonly #leaving = new Set<Promise<void>>()
  #opening: Promise<SiteServing> | undefined
  /** Defined as soon as servers can be served. */
  #serving: SiteServing | undefined
  #closing: Promise<void> | undefined

  constructor(options: GatewaySiteOptions) {
    this.#options = options
  }

  /** The number of client sessions. */
  get sessions(): number {
    return this.#serving?.sessions ?? 0
  }

  /** Listens with the current servers. Servers can be added and removed while it listens. */
  async listen(): Promise<Listening> {
    if (this.#closing !== undefined) throw closed()
    this.#opening ??= this.#open()
    const { url, port } = await this.#opening
    return { url, port }
  }

  /** Serves all servers together at `/mcp`, `/sse` and `/ws`. */
  async setAggregate(server: Servable): Promise<void> {
    await this.#add(AGGREGATE, server)
  }

  /** Serves the server under `/servers/NAME/`. */
  async addServer(name: string, server: Servable): Promise<void> {
    if (name === AGGREGATE) throw new ParleyError('validation_failed', { message: 'A server needs a name' })
    await this.#add(name, server)
  }

  /**
   * Lets its running requests finish and ends its sessions. Its name is free at once, so that another server can take
   * the name.
   */
  async removeServer(name: string, options: DrainOptions = {}): Promise<void> {
    const served = this.#served.get(name)
    if (name === AGGREGATE || !this.#servers.delete(name)) {
      throw new ParleyError('validation_failed', { message: `There is no server ${JSON.stringify(name)} to remove` })
    }
    if (served === undefined) return
    this.#served.delete(name)
    const freed = served.then((one) => ({ closing: one.close(options) }))
    this.#freeing.set(name, freed)
    const forget = (): void => {
      if (this.#freeing.get(name) === freed) this.#freeing.delete(name)
    }
    freed.then(forget, forget)
    const left = freed.then(({ closing }) => closing)
    this.#leaving.add(left)
    try {
      await left
    } finally {
      this.#leaving.delete(left)
    }
  }

  /** Stops listening. Running requests may finish within `drain`. */
  close(options: DrainOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  async #open(): Promise<SiteServing> {
    const { host, port } = this.#options
    try {
      const options = {
        ...siteOptions(this.#options),
        fastHttp: true,
        hint: pathHints(() => [...this.#servers.keys()]),
      }
      return await serveSite(options, (serving) => {
        this.#serving = serving
        return Promise.all([...this.#servers].map(([name, server]) => this.#serve(serving, name, server)))
      })
    } catch (error) {
      this.#opening = undefined
      this.#serving = undefined
      this.#served.clear()
      throw listenError(error, host, port)
    }
  }

  async #close(options: DrainOptions): Promise<void> {
    const serving = await this.#opening?.catch(() => undefined)
    await serving?.close(options)
    await Promise.allSettled(this.#leaving)
  }

  async #add(name: string, server: Servable): Promise<void> {
    endpointsOf(name)
    if (this.#closing !== undefined) throw closed()
    if (this.#servers.has(name))
      throw new ParleyError('validation_failed', {
        message: name === AGGREGATE ? 'There is an aggregate already' : `There is a server ${name} already`,
      })
    this.#servers.set(name, server)
    try {
      // A removed server whose start failed leaves nothing to wait for.
      await this.#freeing.get(name)?.catch(() => {})
      // The server may have been removed during the wait.
      if (this.#serving !== undefined && this.#servers.get(name) === server)
        await this.#serve(this.#serving, name, server)
    } catch (error) {
      if (this.#servers.get(name) === server) this.#servers.delete(name)
      throw error
    }
  }

  async #serve(serving: SiteServing, name: string, server: Servable): Promise<void> {
    const { path, sse, webSocket } = endpointsOf(name)
    const served = serving.serve(server, { path, sse, webSocket: { path: webSocket } })
    this.#served.set(name, served)
    try {
      await served
    } catch (error) {
      if (this.#served.get(name) === served) this.#served.delete(name)
      throw error
    }
  }
}

function closed(): ParleyError {
  return new ParleyError('shutting_down', { message: 'The gateway is closed' })
}

/**
 * The gateway's one port: every server and all of them together by every transport, and what people and monitors ask
 * for.
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

/** The place of the aggregate among the servers; no server can have this name. */
const AGGREGATE = ''

export class GatewaySite {
  readonly #options: GatewaySiteOptions
  readonly #servers = new Map<string, Servable>()
  /** What is served, or about to be. */
  readonly #served = new Map<string, Promise<Served>>()
  /** Names whose paths are not free yet: until their servers have begun to leave. */
  readonly #freeing = new Map<string, Promise<unknown>>()
  /** Those that finish what they work on, perhaps beside a new one of the same name. */
  readonly #leaving = new Set<Promise<void>>()
  #opening: Promise<SiteServing> | undefined
  /** From the moment that servers can be served. */
  #serving: SiteServing | undefined
  #closing: Promise<void> | undefined

  constructor(options: GatewaySiteOptions) {
    this.#options = options
  }

  /** How many sessions clients have with it. */
  get sessions(): number {
    return this.#serving?.sessions ?? 0
  }

  /** With all servers that are there; others may come and go while it listens. */
  async listen(): Promise<Listening> {
    if (this.#closing !== undefined) throw closed()
    this.#opening ??= this.#open()
    const { url, port } = await this.#opening
    return { url, port }
  }

  /** What is reached at `/mcp`, `/sse` and `/ws`. */
  async setAggregate(server: Servable): Promise<void> {
    await this.#add(AGGREGATE, server)
  }

  /** From now on it is reached under `/servers/NAME/`. */
  async addServer(name: string, server: Servable): Promise<void> {
    if (name === AGGREGATE) throw new ParleyError('validation_failed', { message: 'A server needs a name' })
    await this.#add(name, server)
  }

  /**
   * Its running requests finish and its sessions end; the others go on. Its name is free at once, and new clients meet
   * who takes it.
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

  /** Listens no more; what runs may finish within `drain`. */
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
      // One that never came to be served leaves nothing behind.
      await this.#freeing.get(name)?.catch(() => {})
      // It may have been removed while it waited.
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

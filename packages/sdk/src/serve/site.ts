/**
 * Everything a site answers over HTTP, path by path, for any number of servers; what drives it is one of the runtimes.
 */
import { ByteBudget } from '../collections/index.ts'
import type { MessageLimits } from '../jsonrpc/index.ts'
import type { CloseOptions } from '../session/index.ts'
import { type Exchange, Guard, type ResponseHeaders } from '../transport/index.ts'
import type { ProtocolVersion } from '../versions/index.ts'
import { StreamableEndpoint } from './endpoint.ts'
import { healthMount } from './health.ts'
import { turnAway } from './hint.ts'
import { type HttpSettings, type ServedPaths, type SiteOptions, settingsFor, settleHttp } from './options.ts'
import { preflight } from './preflight.ts'
import { refuse } from './refusal.ts'
import { type Served, type ServedMounts, ServedServer } from './served.ts'
import { type Acceptance, type Places, SessionTable } from './session-table.ts'
import { sseMounts } from './sse-endpoint.ts'
import { type Station, Stations, type Stay } from './stations.ts'
import { Unread } from './unread.ts'

/** Answers what comes to one path. */
export interface Mount {
  /** Called before the body is read; false when the exchange was answered by that. */
  admit?(exchange: Exchange): boolean
  handle(exchange: Exchange): void
  /**
   * Answers whom the guard of the site would not let in, with nothing that is not for everybody; where it is absent or
   * gives false they are refused (403).
   */
  strangers?(exchange: Exchange): boolean
  /**
   * Whether it is part of one of its sessions: then it is still for this mount when another one has come to its path.
   */
  owns?(exchange: Exchange): boolean
  /** How many sessions there are through it. */
  count?(): number
  close?(options: CloseOptions): Promise<void>
}

/** A server, or anything else that takes links, such as a gateway. */
export interface Servable extends Acceptance {
  readonly limits?: Partial<MessageLimits>
  /** Those it speaks. Default: all. */
  readonly versions?: readonly ProtocolVersion[]
  /** Throws what would make every conversation fail. */
  ready?(): void
}

/** Most endpoints that are named to who asks for something else. */
const MAX_NAMED = 10

export class HttpSite {
  readonly settings: HttpSettings
  readonly guard: Guard
  /** What clients have not read yet, for runtimes that can tell. */
  readonly unread: Unread
  readonly #table: SessionTable
  readonly #stations = new Stations()
  /** In the order they came. */
  readonly #served = new Set<Served>()
  #closing = false

  constructor(options: SiteOptions = {}) {
    this.settings = settleHttp(options)
    this.guard = new Guard(options)
    this.unread = new Unread(new ByteBudget('maxUnreadTotal', this.settings.maxUnreadTotal))
    this.#table = new SessionTable(this.settings)
    const health = healthMount(() => ({ closing: this.#closing, sessions: this.sessions }))
    if (options.healthPath !== undefined) this.mount(options.healthPath, health)
  }

  /** How many sessions there are. */
  get sessions(): number {
    let count = 0
    for (const { mount } of this.#stations.all()) count += mount.count?.() ?? 0
    return count
  }

  /** For sessions by ways that only one runtime has: they count, too. */
  get places(): Places {
    return this.#table
  }

  /**
   * Begins to serve a server, beside those that are served already or in the place of one that is being closed; throws
   * when one of the paths is taken.
   */
  serve(server: Servable, { path = '/mcp', sse = false, mounts = {} }: ServedPaths & ServedMounts = {}): Served {
    server.ready?.()
    const settings = settingsFor(server.limits, this.settings)
    const own: readonly (readonly [string, Mount])[] = [
      [path, new StreamableEndpoint(server, this.#table, settings)],
      ...(sse === false ? [] : sseMounts(server, this.#table, settings, sse === true ? {} : sse)),
      ...Object.entries(mounts),
    ]
    const stay = this.#mountAll(own, settings.limits.maxBytes)
    const ownMounts = own.map(([, mount]) => mount)
    const served = new ServedServer(path, ownMounts, {
      leave: () => stay.leave(),
      end: () => {
        stay.end()
        this.#served.delete(served)
      },
    })
    this.#served.add(served)
    return served
  }

  /** What it gives takes the path away again. */
  mount(path: string, mount: Mount): () => void {
    const stay = this.#mountAll([[path, mount]], this.settings.limits.maxBytes)
    return () => stay.end()
  }

  /** What is mounted there. */
  at(path: string): Mount | undefined {
    return this.#stations.at(path)?.mount
  }

  /** The paths whose mount is of that kind. */
  pathsOf(isOne: (mount: Mount) => boolean): readonly string[] {
    return this.#stations.pathsOf(isOne)
  }

  /**
   * Looks at everything but the body, and tells what is to handle the exchange with it; `undefined` when it was
   * answered by that.
   */
  admit(exchange: Exchange): Station | undefined {
    const station = this.#stations.for(exchange)
    const origin = exchange.header('origin')
    const objection = this.guard.objection(exchange.header('host'), origin)
    if (objection !== undefined) {
      if (station?.mount.strangers?.(exchange) !== true) refuse(exchange, 403, 'refusal_permission_denied', objection)
      return undefined
    }
    if (station === undefined) {
      turnAway(
        exchange,
        this.settings,
        404,
        `Nothing is served at this path; ${named([...new Set([...this.#served].map(({ path }) => path))])}`,
      )
      return undefined
    }
    const { mount, maxBytes } = station
    const declared = exchange.header('content-length')
    if (declared !== undefined && Number(declared) > maxBytes) {
      refuse(exchange, 413, 'message_too_large', `Messages are limited to ${maxBytes} bytes`)
      return undefined
    }
    if (this.settings.cors && exchange.method === 'OPTIONS' && origin !== undefined) {
      exchange.respond(204, preflight(exchange.header('access-control-request-headers')))
      return undefined
    }
    return (mount.admit?.(exchange) ?? true) ? station : undefined
  }

  /** Something here is broken: the client is told no more than that. */
  failed(exchange: Exchange, error: unknown): void {
    refuse(exchange, 500, 'internal_error', 'Internal error')
    this.report(error)
  }

  /** Tells its owner what is broken. */
  report(error: unknown): void {
    try {
      this.settings.onError(error)
    } catch {
      // An observer that fails has no one left to tell.
    }
  }

  /** Headers that let a page of a listed origin read the response. */
  corsHeaders(origin: string | undefined): ResponseHeaders | undefined {
    if (!this.settings.cors || origin === undefined || !this.guard.lists(origin)) return undefined
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'mcp-session-id', vary: 'origin' }
  }

  /** Takes no new sessions, lets running requests finish, and ends all sessions and streams. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing = true
    await Promise.all(this.#stations.all().map(({ mount }) => mount.close?.(options)))
    this.#table.stop()
  }

  #mountAll(mounts: readonly (readonly [path: string, mount: Mount])[], maxBytes: number): Stay {
    if (this.#closing) throw new Error('The site is closed')
    return this.#stations.mount(mounts, maxBytes)
  }
}

function named(paths: readonly string[]): string {
  if (paths.length <= 1) return paths.length === 0 ? 'there is no endpoint' : `the endpoint is ${paths[0]}`
  const shown = paths.slice(0, MAX_NAMED).join(', ')
  return `the endpoints are ${shown}${paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''}`
}

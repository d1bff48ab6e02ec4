/** The HTTP sessions of a site by their id, bounded in number and in time. */
import type { Link } from '../jsonrpc/index.ts'

import {
  type AcceptOptions,
  type Activity,
  awaitsPeer,
  type CloseOptions,
  type Holder,
  Holders,
  holderOf,
  lastAskedAt,
  type Session,
  type SessionUse,
  sessionToEnd,
} from '../session/index.ts'
import { isVersion, supports } from '../versions/index.ts'
import { HttpLink, type LinkHost } from './http-link.ts'
import type { HttpSettings, Opener } from './options.ts'
import { Pulse } from './pulse.ts'
import { briskPeriod, pulsePeriod } from './response.ts'
import { Soon } from './soon.ts'

/** How a conversation is to be held, and with whom. */
export interface Admission extends AcceptOptions {
  /** Whom all of it comes from, as far as that was found out. */
  principal?: string
  /** The network address it comes from, where the runtime tells. */
  address?: string
}

export interface Acceptance {
  accept(link: Link, options?: Admission): Session
}

/** One of those whose sessions are in the table; to the others they do not exist. */
export interface Tenant {
  readonly server: Acceptance
  readonly closing: boolean
  /** How many there are; kept by the table. */
  sessions: number
}

/** Room for conversations that are held by other ways than the table's. */
export interface Places {
  /** For one of that holder; `undefined` when there are too many sessions and none of them can be ended. */
  take(holder: string): HeldPlace | undefined
}

/** The room for one conversation, which lasts as long as its connection. */
export interface HeldPlace {
  /** Set once there is one. */
  session: Session | undefined
  leave(): void
}

export class HttpSession implements SessionUse {
  readonly tenant: Tenant
  readonly link: HttpLink
  readonly session: Session
  /** Who opened it, and nobody else may use it. */
  readonly principal: string | undefined
  readonly holder: Holder
  #isUsed = false
  lastUsedAt: number
  /** When it was last found to be busy. */
  busyAt: number
  /** Events of finished answers may be left in the log. */
  untidy = true

  constructor(
    tenant: Tenant,
    link: HttpLink,
    session: Session,
    principal: string | undefined,
    holder: Holder,
    now: number,
  ) {
    this.tenant = tenant
    this.link = link
    this.session = session
    this.principal = principal
    this.holder = holder
    this.lastUsedAt = now
    this.busyAt = now
  }

  get isUsed(): boolean {
    return this.#isUsed
  }

  /** Its client has made a request, or opened a stream. */
  use(): void {
    this.#isUsed = true
  }

  get isOpen(): boolean {
    const { phase } = this.session
    return phase !== 'initialization' && phase !== 'initialized'
  }

  get askedAt(): number {
    return lastAskedAt(this.session)
  }

  get activity(): Activity {
    const { link, session } = this
    if (link.awaited && !awaitsPeer(session)) return 'working'
    if (link.listening) return 'listening'
    return link.awaited ? 'asked' : 'idle'
  }
}

/** A conversation that is as long as its connection. */
class ConnectedUse implements SessionUse, HeldPlace {
  readonly holder: Holder
  readonly isOpen = true
  readonly isUsed = true
  readonly askedAt = 0
  readonly leave: () => void
  session: Session | undefined
  readonly #since: number

  constructor(holder: Holder, now: number, leave: (use: ConnectedUse) => void) {
    this.holder = holder
    this.#since = now
    this.leave = () => leave(this)
  }

  get lastUsedAt(): number {
    return this.session?.health().lastReceivedAt ?? this.#since
  }

  get activity(): Activity {
    const { session } = this
    return session === undefined || (session.inFlight().length > 0 && !awaitsPeer(session)) ? 'working' : 'listening'
  }
}

/** Uses within this many milliseconds count as one, so that busy sessions are not moved about all the time. */
const GRAIN = 1000

/** Said to a client that finds no room. */
export const TOO_MANY = 'There are too many sessions, and all of them are in use; try again later'

/** It goes into a header. */
const VISIBLE = /^[\x21-\x7e]+$/

export class SessionTable implements LinkHost, Places {
  readonly settings: HttpSettings
  readonly pulse: Pulse
  readonly briskPulse: Pulse
  readonly soon: Soon
  /** In the order of their last use, as far as it was noted. */
  readonly #sessions = new Map<string, HttpSession>()
  /** Those that have a place and are not in the table. */
  readonly #connected = new Set<ConnectedUse>()
  readonly #holders = new Holders()
  #cancelSweep: (() => void) | undefined

  constructor(settings: HttpSettings) {
    this.settings = settings
    this.pulse = new Pulse(settings.clock, pulsePeriod(settings.heartbeat))
    this.briskPulse = new Pulse(settings.clock, briskPeriod(settings.heartbeat))
    this.soon = new Soon(settings.clock)
  }

  /** The session of that id, which thereby counts as used. */
  find(tenant: Tenant, id: string): HttpSession | undefined {
    const found = this.#sessions.get(id)
    if (found?.tenant !== tenant) return undefined
    this.#touch(found)
    return found
  }

  holds(tenant: Tenant, id: string): boolean {
    return this.#sessions.get(id)?.tenant === tenant
  }

  /** A new session; `undefined` when there are too many and none of them makes room. */
  open(tenant: Tenant, opener: Opener): HttpSession | undefined {
    const holder = holderOf(opener.principal, opener.address)
    if (tenant.closing || !this.#hasRoom(holder)) return undefined
    const id = this.settings.mint()
    if (!VISIBLE.test(id))
      throw new TypeError(`mint gave a session id that is not visible ASCII: ${JSON.stringify(id.slice(0, 40))}`)
    const link = new HttpLink(this, id)
    const session = tenant.server.accept(link, admission({ ...this.settings.session, id }, opener))
    const opened = new HttpSession(
      tenant,
      link,
      session,
      opener.principal,
      this.#holders.enter(holder),
      this.settings.clock.now(),
    )
    this.#sessions.set(id, opened)
    tenant.sessions++
    this.#cancelSweep ??= this.settings.clock.after(this.#sweepPeriod(), this.#sweep)
    return opened
  }

  take(holder: string): HeldPlace | undefined {
    if (!this.#hasRoom(holder)) return undefined
    const use = new ConnectedUse(this.#holders.enter(holder), this.settings.clock.now(), (left) => {
      if (this.#connected.delete(left)) this.#holders.leave(left.holder)
    })
    this.#connected.add(use)
    return use
  }

  /** Ends the sessions of one tenant. */
  async close(tenant: Tenant, options: CloseOptions): Promise<void> {
    const own = [...this.#sessions.values()].filter((entry) => entry.tenant === tenant)
    await Promise.all(own.map(({ session }) => session.close(options)))
  }

  /** When all sessions have ended. */
  stop(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
    this.pulse.stop()
    this.briskPulse.stop()
  }

  knowsPolling(version: string): boolean {
    return isVersion(version) && supports(version, 'sse-polling')
  }

  closed(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found === undefined) return
    this.#sessions.delete(link.id)
    this.#holders.leave(found.holder)
    found.tenant.sessions--
  }

  used(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found !== undefined) this.#touch(found)
  }

  #touch(entry: HttpSession): void {
    const now = this.settings.clock.now()
    entry.untidy = true
    if (now - entry.lastUsedAt < GRAIN) return
    entry.lastUsedAt = now
    // To the end of the order.
    this.#sessions.delete(entry.link.id)
    this.#sessions.set(entry.link.id, entry)
  }

  #hasRoom(holder: string): boolean {
    return this.#sessions.size + this.#connected.size < this.settings.maxSessions || this.#makeRoom(holder)
  }

  #makeRoom(holder: string): boolean {
    const all: readonly (HttpSession | ConnectedUse)[] = [...this.#sessions.values(), ...this.#connected]
    const ended = sessionToEnd(all, this.#holders, holder, this.settings.clock.now())
    void ended?.session?.close({ drain: 0 })
    return ended !== undefined
  }

  #sweepPeriod(): number {
    return Math.max(100, Math.min(this.settings.idleTimeout / 4, this.settings.keepEvents, 30_000))
  }

  /** Ends what is idle too long and tidies up what was not used for a while. */
  readonly #sweep = (): void => {
    this.#cancelSweep = undefined
    const { clock, idleTimeout, keepEvents } = this.settings
    const now = clock.now()
    for (const entry of this.#sessions.values()) {
      const unused = now - entry.lastUsedAt
      if (unused < keepEvents && unused < idleTimeout) break
      if (entry.link.busy) entry.busyAt = now
      if (now - Math.max(entry.lastUsedAt, entry.busyAt) >= idleTimeout) void entry.session.close({ drain: 0 })
      else if (entry.untidy && unused >= keepEvents) {
        entry.untidy = false
        entry.link.tidy()
      }
    }
    if (this.#sessions.size > 0) this.#cancelSweep = clock.after(this.#sweepPeriod(), this.#sweep)
  }
}

/** What a server is told of whom a conversation is with, as far as that is known. */
export function admission(options: AcceptOptions, { principal, address }: Opener): Admission {
  return { ...options, ...(principal !== undefined && { principal }), ...(address !== undefined && { address }) }
}

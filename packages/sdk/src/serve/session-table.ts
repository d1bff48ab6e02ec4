/** The HTTP sessions of a site by their id, bounded in number and in time. */
import type { Link } from '../jsonrpc/index.ts'
import { isVersion } from '../protocol/index.ts'
import type { AcceptOptions, CloseOptions, Session } from '../session/index.ts'
import { supports } from '../versions/index.ts'
import { HttpLink, type LinkHost } from './http-link.ts'
import type { HttpSettings } from './options.ts'
import { Pulse } from './pulse.ts'
import { briskPeriod, pulsePeriod } from './response.ts'
import { Soon } from './soon.ts'

/** How a conversation is to be held, and with whom. */
export interface Admission extends AcceptOptions {
  /** Whom all of it comes from, as far as that was found out. */
  principal?: string
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
  /** False when there are too many sessions and none of them can be ended. */
  take(): boolean
  leave(): void
}

export interface HttpSession {
  readonly tenant: Tenant
  readonly link: HttpLink
  readonly session: Session
  /** Who opened it, and nobody else may use it. */
  readonly principal: string | undefined
  /** When it was last known to be in use. */
  usedAt: number
  /** When it was last found to be busy. */
  busyAt: number
  /** Events of finished answers may be left in the log. */
  untidy: boolean
}

/** Uses within this many milliseconds count as one, so that busy sessions are not moved about all the time. */
const GRAIN = 1000

/** A client may take this many milliseconds for its handshake before its session is the first to make room. */
const HANDSHAKE_GRACE = 2000

/** It goes into a header. */
const VISIBLE = /^[\x21-\x7e]+$/

export class SessionTable implements LinkHost, Places {
  readonly settings: HttpSettings
  readonly pulse: Pulse
  readonly briskPulse: Pulse
  readonly soon: Soon
  /** In the order of their last use, as far as it was noted. */
  readonly #sessions = new Map<string, HttpSession>()
  /** Sessions whose handshake was not seen to be complete, oldest first. */
  readonly #fresh = new Set<HttpSession>()
  /** How many places are taken by others. */
  #elsewhere = 0
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

  /** A new session; `undefined` when there are too many and none of them is idle. */
  open(tenant: Tenant, principal: string | undefined): HttpSession | undefined {
    if (tenant.closing || !this.#hasRoom()) return undefined
    const id = this.settings.mint()
    if (!VISIBLE.test(id)) throw new TypeError(`mint gave a session id that is not visible ASCII: ${JSON.stringify(id.slice(0, 40))}`)
    const link = new HttpLink(this, id)
    const session = tenant.server.accept(link, admission({ ...this.settings.session, id }, principal))
    const now = this.settings.clock.now()
    const opened: HttpSession = { tenant, link, session, principal, usedAt: now, busyAt: now, untidy: true }
    this.#sessions.set(id, opened)
    this.#fresh.add(opened)
    tenant.sessions++
    this.#cancelSweep ??= this.settings.clock.after(this.#sweepPeriod(), this.#sweep)
    return opened
  }

  take(): boolean {
    if (!this.#hasRoom()) return false
    this.#elsewhere++
    return true
  }

  leave(): void {
    this.#elsewhere--
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
    this.#fresh.delete(found)
    this.#sessions.delete(link.id)
    found.tenant.sessions--
  }

  used(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found !== undefined) this.#touch(found)
  }

  #touch(entry: HttpSession): void {
    const now = this.settings.clock.now()
    entry.untidy = true
    if (now - entry.usedAt < GRAIN) return
    entry.usedAt = now
    // To the end of the order.
    this.#sessions.delete(entry.link.id)
    this.#sessions.set(entry.link.id, entry)
  }

  #hasRoom(): boolean {
    return this.#sessions.size + this.#elsewhere < this.settings.maxSessions || this.#evict()
  }

  /** Handshakes that lead nowhere go first, or a flood of them would end the sessions of everybody else. */
  #evict(): boolean {
    const idle = this.#abandoned() ?? this.#idle()
    if (idle === undefined) return false
    void idle.session.close({ drain: 0 })
    return true
  }

  #abandoned(): HttpSession | undefined {
    const now = this.settings.clock.now()
    for (const entry of this.#fresh) {
      const { phase } = entry.session
      if (phase !== 'initialization' && phase !== 'initialized') this.#fresh.delete(entry)
      else if (now - entry.usedAt >= HANDSHAKE_GRACE && !entry.link.busy) return entry
    }
    return undefined
  }

  #idle(): HttpSession | undefined {
    for (const entry of this.#sessions.values()) if (!entry.link.busy) return entry
    return undefined
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
      const unused = now - entry.usedAt
      if (unused < keepEvents && unused < idleTimeout) break
      if (entry.link.busy) entry.busyAt = now
      if (now - Math.max(entry.usedAt, entry.busyAt) >= idleTimeout) void entry.session.close({ drain: 0 })
      else if (entry.untidy && unused >= keepEvents) {
        entry.untidy = false
        entry.link.tidy()
      }
    }
    if (this.#sessions.size > 0) this.#cancelSweep = clock.after(this.#sweepPeriod(), this.#sweep)
  }
}

/** What a server is told of a conversation with that principal, if it is one in particular. */
export function admission(options: AcceptOptions, principal: string | undefined): Admission {
  return principal === undefined ? options : { ...options, principal }
}

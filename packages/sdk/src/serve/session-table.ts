/** The HTTP sessions of one server by their id, bounded in number and in time. */
import type { Link } from '../jsonrpc/index.ts'
import { isVersion } from '../protocol/index.ts'
import type { AcceptOptions, CloseOptions, Session } from '../session/index.ts'
import { supports } from '../versions/index.ts'
import { HttpLink, type LinkHost } from './http-link.ts'
import type { HttpSettings } from './options.ts'
import { Pulse } from './pulse.ts'
import { pulsePeriod } from './response.ts'
import { Soon } from './soon.ts'

export interface Acceptance {
  accept(link: Link, options?: AcceptOptions): Session
}

export interface HttpSession {
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

export class SessionTable implements LinkHost {
  readonly settings: HttpSettings
  readonly pulse: Pulse
  readonly soon: Soon
  readonly #server: Acceptance
  /** In the order of their last use, as far as it was noted. */
  readonly #sessions = new Map<string, HttpSession>()
  /** Sessions whose handshake was not seen to be complete, oldest first. */
  readonly #fresh = new Set<HttpSession>()
  #cancelSweep: (() => void) | undefined
  #closing = false

  constructor(server: Acceptance, settings: HttpSettings) {
    this.#server = server
    this.settings = settings
    this.pulse = new Pulse(settings.clock, pulsePeriod(settings.heartbeat))
    this.soon = new Soon(settings.clock)
  }

  get size(): number {
    return this.#sessions.size
  }

  get closing(): boolean {
    return this.#closing
  }

  /** The session of that id, which thereby counts as used. */
  find(id: string): HttpSession | undefined {
    const found = this.#sessions.get(id)
    if (found !== undefined) this.#touch(found)
    return found
  }

  /** A new session; `undefined` when there are too many and none of them is idle. */
  open(principal: string | undefined): HttpSession | undefined {
    if (this.#closing || (this.#sessions.size >= this.settings.maxSessions && !this.#evict())) return undefined
    const id = this.settings.mint()
    const link = new HttpLink(this, id)
    const session = this.#server.accept(link, { ...this.settings.session, id })
    const now = this.settings.clock.now()
    const opened: HttpSession = { link, session, principal, usedAt: now, busyAt: now, untidy: true }
    this.#sessions.set(id, opened)
    this.#fresh.add(opened)
    this.#cancelSweep ??= this.settings.clock.after(this.#sweepPeriod(), this.#sweep)
    return opened
  }

  async close(options: CloseOptions): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close(options)))
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
    this.pulse.stop()
  }

  knowsPolling(version: string): boolean {
    return isVersion(version) && supports(version, 'sse-polling')
  }

  closed(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found !== undefined) this.#fresh.delete(found)
    this.#sessions.delete(link.id)
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

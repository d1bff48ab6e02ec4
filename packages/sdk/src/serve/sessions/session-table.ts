/** The HTTP sessions of a site, by id. Their number and their idle time are limited. */
import type { Link } from '../../jsonrpc/index.ts'

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
} from '../../session/index.ts'
import { isVersion, supports } from '../../versions/index.ts'
import { Heartbeat } from '../heartbeat.ts'
import { NextTick } from '../next-tick.ts'
import type { HttpSettings, Opener } from '../options.ts'
import { fastHeartbeatPeriod, heartbeatPeriod } from '../responses/response.ts'
import { HttpLink, type HttpLinkHost } from './http-link.ts'

/** Options of a new session, and the client it is for. */
export interface Admission extends AcceptOptions {
  /** The user or client of the session, if known. */
  principal?: string
  /** The network address of the client, if the runtime knows it. */
  address?: string
}

export interface LinkAcceptor {
  accept(link: Link, options?: Admission): Session
}

/** An endpoint with sessions in the table. It does not see the sessions of other endpoints. */
export interface SessionOwner {
  readonly server: LinkAcceptor
  readonly closing: boolean
}

/** Slots for sessions of other transports. They count toward the limit of the table. */
export interface SessionSlots {
  /** `undefined` if there are too many sessions and none of them can be ended. */
  reserve(holder: string): SessionSlot | undefined
}

/** The slot of one session, which ends with its connection. */
export interface SessionSlot {
  attach(session: Session): void
  release(): void
}

export class HttpSession implements SessionUse {
  readonly owner: SessionOwner
  readonly link: HttpLink
  readonly session: Session
  /** The principal that opened the session. Others may not use it. */
  readonly principal: string | undefined
  readonly holder: Holder
  #isUsed = false
  lastUsedAt: number
  /** When a sweep last found it busy. */
  busyAt: number
  /** The log may still have events of finished answers. */
  hasOldEvents = true

  constructor(
    owner: SessionOwner,
    link: HttpLink,
    session: Session,
    principal: string | undefined,
    holder: Holder,
    now: number,
  ) {
    this.owner = owner
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

  /** The client made a request or opened a stream. */
  markUsed(): void {
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

/** A session of another transport, which ends with its connection. */
class ConnectionSlot implements SessionUse, SessionSlot {
  readonly holder: Holder
  readonly isOpen = true
  readonly isUsed = true
  readonly askedAt = 0
  readonly release: () => void
  readonly #since: number
  #session: Session | undefined

  constructor(holder: Holder, now: number, release: (slot: ConnectionSlot) => void) {
    this.holder = holder
    this.#since = now
    this.release = () => release(this)
  }

  get session(): Session | undefined {
    return this.#session
  }

  attach(session: Session): void {
    this.#session = session
  }

  get lastUsedAt(): number {
    return this.#session?.health().lastReceivedAt ?? this.#since
  }

  get activity(): Activity {
    const session = this.#session
    return session === undefined || (session.inFlight().length > 0 && !awaitsPeer(session)) ? 'working' : 'listening'
  }
}

/** Uses within this time count as one, so that busy sessions are not reordered at every message. */
const USE_RESOLUTION_MS = 1000

/** The refusal when the limit of sessions is reached. */
export const TOO_MANY_SESSIONS = 'There are too many sessions, and all of them are in use; try again later'

/** Session ids are sent in a header. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

export class SessionTable implements HttpLinkHost, SessionSlots {
  readonly settings: HttpSettings
  readonly heartbeat: Heartbeat
  readonly fastHeartbeat: Heartbeat
  readonly nextTick: NextTick
  /** In the order of their last noted use. */
  readonly #sessions = new Map<string, HttpSession>()
  readonly #counts = new Map<SessionOwner, number>()
  /** Sessions of other transports. */
  readonly #connected = new Set<ConnectionSlot>()
  readonly #holders = new Holders()
  #cancelSweep: (() => void) | undefined

  constructor(settings: HttpSettings) {
    this.settings = settings
    this.heartbeat = new Heartbeat(settings.clock, heartbeatPeriod(settings.heartbeat))
    this.fastHeartbeat = new Heartbeat(settings.clock, fastHeartbeatPeriod(settings.heartbeat))
    this.nextTick = new NextTick(settings.clock)
  }

  /** Finds a session by id and notes the use. */
  find(owner: SessionOwner, id: string): HttpSession | undefined {
    const found = this.#sessions.get(id)
    if (found?.owner !== owner) return undefined
    this.#noteUse(found)
    return found
  }

  count(owner: SessionOwner): number {
    return this.#counts.get(owner) ?? 0
  }

  holds(owner: SessionOwner, id: string): boolean {
    return this.#sessions.get(id)?.owner === owner
  }

  /** Opens a session. `undefined` if there are too many and none of them can be ended. */
  open(owner: SessionOwner, opener: Opener): HttpSession | undefined {
    const holder = holderOf(opener.principal, opener.address)
    if (owner.closing || !this.#hasRoom(holder)) return undefined
    const id = this.settings.mint()
    if (!VISIBLE_ASCII.test(id))
      throw new TypeError(`mint gave a session id that is not visible ASCII: ${JSON.stringify(id.slice(0, 40))}`)
    const link = new HttpLink(this, id)
    const session = owner.server.accept(link, admission({ ...this.settings.session, id }, opener))
    const opened = new HttpSession(
      owner,
      link,
      session,
      opener.principal,
      this.#holders.enter(holder),
      this.settings.clock.now(),
    )
    this.#sessions.set(id, opened)
    this.#counts.set(owner, this.count(owner) + 1)
    this.#cancelSweep ??= this.settings.clock.after(this.#sweepPeriod(), this.#sweep)
    return opened
  }

  reserve(holder: string): SessionSlot | undefined {
    if (!this.#hasRoom(holder)) return undefined
    const slot = new ConnectionSlot(this.#holders.enter(holder), this.settings.clock.now(), (released) => {
      if (this.#connected.delete(released)) this.#holders.leave(released.holder)
    })
    this.#connected.add(slot)
    return slot
  }

  /** Ends the sessions of one owner. */
  async close(owner: SessionOwner, options: CloseOptions): Promise<void> {
    const own = [...this.#sessions.values()].filter((entry) => entry.owner === owner)
    await Promise.all(own.map(({ session }) => session.close(options)))
  }

  /** Stops the timers, when all sessions have ended. */
  stop(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
    this.heartbeat.stop()
    this.fastHeartbeat.stop()
  }

  knowsPolling(version: string): boolean {
    return isVersion(version) && supports(version, 'sse-polling')
  }

  closed(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found === undefined) return
    this.#sessions.delete(link.id)
    this.#holders.leave(found.holder)
    const count = this.count(found.owner) - 1
    if (count === 0) this.#counts.delete(found.owner)
    else this.#counts.set(found.owner, count)
  }

  used(link: HttpLink): void {
    const found = this.#sessions.get(link.id)
    if (found !== undefined) this.#noteUse(found)
  }

  #noteUse(entry: HttpSession): void {
    const now = this.settings.clock.now()
    entry.hasOldEvents = true
    if (now - entry.lastUsedAt < USE_RESOLUTION_MS) return
    entry.lastUsedAt = now
    // To the end of the order.
    this.#sessions.delete(entry.link.id)
    this.#sessions.set(entry.link.id, entry)
  }

  #hasRoom(holder: string): boolean {
    return this.#sessions.size + this.#connected.size < this.settings.maxSessions || this.#makeRoom(holder)
  }

  #makeRoom(holder: string): boolean {
    const all: readonly (HttpSession | ConnectionSlot)[] = [...this.#sessions.values(), ...this.#connected]
    const ended = sessionToEnd(all, this.#holders, holder, this.settings.clock.now())
    void ended?.session?.close({ drain: 0 })
    return ended !== undefined
  }

  #sweepPeriod(): number {
    return Math.max(100, Math.min(this.settings.idleTimeout / 4, this.settings.keepEvents, 30_000))
  }

  /** Ends idle sessions, and drops old events of sessions that were not used for a while. */
  readonly #sweep = (): void => {
    this.#cancelSweep = undefined
    const { clock, idleTimeout, keepEvents } = this.settings
    const now = clock.now()
    for (const entry of this.#sessions.values()) {
      const unused = now - entry.lastUsedAt
      if (unused < keepEvents && unused < idleTimeout) break
      if (entry.link.busy) entry.busyAt = now
      if (now - Math.max(entry.lastUsedAt, entry.busyAt) >= idleTimeout) void entry.session.close({ drain: 0 })
      else if (entry.hasOldEvents && unused >= keepEvents) {
        entry.hasOldEvents = false
        entry.link.dropOldEvents()
      }
    }
    if (this.#sessions.size > 0) this.#cancelSweep = clock.after(this.#sweepPeriod(), this.#sweep)
  }
}

/** Adds the principal and the address, if known. */
export function admission(options: AcceptOptions, { principal, address }: Opener): Admission {
  return { ...options, ...(principal !== undefined && { principal }), ...(address !== undefined && { address }) }
}

/** Whose conversation with a server of the handshake era a request gets that has no session of its own (8.2). */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { type Body, type Inbound, systemMint } from 'parley-mcp/engine'
import type { SessionPolicy } from '../config/index.ts'
import type { Line } from './line.ts'
import { EMPTY_PROFILE, type Profile, profileOf } from './profile.ts'
import type { Upstream } from './upstream.ts'

/** A conversation for one request. */
export interface Lease {
  readonly line: Line
  /** To be given back to the client, so that its next request gets the same conversation. */
  readonly handle: string | undefined
  release(): void
}

/** The key in `_meta` by which clients that know the gateway keep their conversation. */
export const HANDLE_KEY = 'dev.parley/session'

/** Conversations nobody uses end after so many milliseconds. */
const IDLE = 600_000
/** Those that were opened before anybody asked for them. */
const SPARE_LIFE = 60_000
/** Most conversations that are kept for later; more, and the one unused longest ends. */
const MOST_KEPT = 1000
const MOST_SPARES = 4

interface Kept {
  readonly line: Promise<Line>
  users: number
  lastUsedAt: number
}

export class Lines {
  readonly #upstream: Upstream
  readonly #kept = new Map<string, Kept>()
  /** By profile: opened, and never used. */
  readonly #spares = new Map<string, { readonly line: Promise<Line>; readonly stop: () => void }>()
  #sweep: (() => void) | undefined
  #closed = false

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  get busy(): boolean {
    return [...this.#kept.values()].some(({ users }) => users > 0)
  }

  /** How many are kept for somebody. */
  get size(): number {
    return this.#kept.size
  }

  async lease(inbound: Inbound): Promise<Lease> {
    const profile = profileOf(inbound.caller.capabilities)
    switch (await this.policyFor(inbound, profile)) {
      case 'shared':
        return this.#share(profile)
      case 'principal':
        return this.#keep(`principal ${inbound.principal ?? ''} ${profile.key}`, profile)
      case 'handle':
        return this.#byHandle(inbound, profile)
      case 'request':
        return this.#once(profile)
    }
  }

  /** The conversation that is kept for the client, if it has one; nothing is begun for a single request. */
  async lend(inbound: Inbound): Promise<Lease | undefined> {
    const policy = await this.policyFor(inbound, profileOf(inbound.caller.capabilities))
    const handed = (inbound.params['_meta'] as Body | undefined)?.[HANDLE_KEY]
    return policy === 'request' || (policy === 'handle' && handed === undefined) ? undefined : this.lease(inbound)
  }

  /** The conversation that all clients share, for one that shook hands; `undefined` when that is not wanted, or not safe with what it can be asked. */
  async share(capabilities: Capabilities): Promise<Lease | undefined> {
    if (this.#upstream.config.session !== 'shared') return undefined
    const profile = profileOf(capabilities)
    if (profile !== EMPTY_PROFILE && !(await this.#upstream.home()).correlates) return undefined
    return this.#share(profile)
  }

  /** What the operator says, else what is safe: nobody's state is anybody else's. */
  async policyFor(inbound: Inbound, profile: Profile): Promise<SessionPolicy> {
    const { session: chosen } = this.#upstream.config
    const asked = chosen ?? (inbound.principal !== undefined ? 'principal' : (await this.#isSessionless()) ? 'shared' : 'request')
    // Where it cannot be told on which call a server works when it asks, several clients cannot share it.
    if (asked === 'shared' && profile !== EMPTY_PROFILE && !(await this.#upstream.home()).correlates)
      return inbound.principal === undefined ? 'request' : 'principal'
    return asked
  }

  /** Ends everything that is kept for later and not in use. */
  rest(): void {
    for (const [key, kept] of this.#kept) if (kept.users === 0) this.#end(key, kept)
    for (const key of [...this.#spares.keys()]) this.#endSpare(key)
  }

  close(): void {
    this.#closed = true
    this.#sweep?.()
    for (const [key, kept] of this.#kept) this.#end(key, kept)
    for (const key of [...this.#spares.keys()]) this.#endSpare(key)
  }

  /** A server that gave no session id and runs elsewhere remembers nothing of whom it speaks with. */
  async #isSessionless(): Promise<boolean> {
    const { client } = await this.#upstream.home()
    return client.session.transport === 'http' && !client.session.remembered
  }

  async #share(profile: Profile): Promise<Lease> {
    const lease = await this.#keep(`shared ${profile.key}`, profile)
    lease.line.shared = true
    return lease
  }

  async #byHandle(inbound: Inbound, profile: Profile): Promise<Lease> {
    const given = (inbound.params['_meta'] as Body | undefined)?.[HANDLE_KEY]
    if (given !== undefined && typeof given !== 'string') throw new ParleyError('invalid_params', { message: `_meta["${HANDLE_KEY}"] must be a string` })
    const owner = inbound.principal ?? ''
    const key = (handle: string): string => `handle ${owner} ${handle} ${profile.key}`
    if (given !== undefined && !this.#kept.has(key(given))) {
      throw new ParleyError('invalid_params', {
        message: `_meta["${HANDLE_KEY}"] names no conversation, or one that has ended: leave it out to begin a new one`,
      })
    }
    const handle = given ?? systemMint()
    return { ...(await this.#keep(key(handle), profile)), handle }
  }

  async #keep(key: string, profile: Profile): Promise<Lease> {
    let kept = this.#kept.get(key)
    if (kept === undefined) {
      kept = { line: this.#open(profile, true), users: 0, lastUsedAt: 0 }
      this.#kept.set(key, kept)
      const made = kept
      made.line.catch(() => this.#kept.get(key) === made && this.#kept.delete(key))
      if (this.#kept.size > MOST_KEPT) this.#endOldest()
      this.#watch()
    }
    const own = kept
    own.users++
    const release = (): void => {
      own.users--
      own.lastUsedAt = this.#upstream.clock.now()
    }
    try {
      const line = await own.line
      if (line.open) return { line, handle: undefined, release }
      release()
      this.#end(key, own)
      return this.#keep(key, profile)
    } catch (error) {
      release()
      throw error
    }
  }

  /** One conversation, one request. The next one is opened meanwhile, so that it does not have to be waited for. */
  async #once(profile: Profile): Promise<Lease> {
    const spare = this.#spares.get(profile.key)
    spare?.stop()
    this.#spares.delete(profile.key)
    const line = (await spare?.line.catch(() => undefined)) ?? (await this.#open(profile, false))
    const ready = line.open ? line : await this.#open(profile, false)
    this.#prepare(profile)
    return { line: ready, handle: undefined, release: () => void ready.close() }
  }

  #prepare(profile: Profile): void {
    if (this.#closed || this.#spares.has(profile.key) || this.#spares.size >= MOST_SPARES) return
    const line = this.#open(profile, false)
    const stop = this.#upstream.clock.after(SPARE_LIFE, () => this.#endSpare(profile.key))
    this.#spares.set(profile.key, { line, stop })
    line.catch(() => this.#endSpare(profile.key))
  }

  #open(profile: Profile, lasting: boolean): Promise<Line> {
    const { capabilities } = profile
    return this.#upstream.openLine({ info: { name: 'parley-gateway', version: '0.1.0' }, capabilities }, undefined, lasting)
  }

  #endSpare(key: string): void {
    const spare = this.#spares.get(key)
    this.#spares.delete(key)
    spare?.stop()
    spare?.line.then((line) => line.close()).catch(() => {})
  }

  #end(key: string, kept: Kept): void {
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    kept.line.then((line) => line.close()).catch(() => {})
  }

  #endOldest(): void {
    const unused = [...this.#kept].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt)
    const [first] = unused
    if (first !== undefined) this.#end(...first)
  }

  #watch(): void {
    if (this.#sweep !== undefined || this.#closed) return
    this.#sweep = this.#upstream.clock.after(IDLE / 2, () => {
      this.#sweep = undefined
      const now = this.#upstream.clock.now()
      for (const [key, kept] of this.#kept) if (kept.users === 0 && now - kept.lastUsedAt >= IDLE) this.#end(key, kept)
      if (this.#kept.size > 0) this.#watch()
    })
  }
}

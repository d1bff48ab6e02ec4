/** Whose conversation with a server of the handshake era a request gets that has no session of its own (8.2). */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { HANDLE_KEY, type Inbound, systemMint } from 'parley-mcp/engine'
import type { SessionPolicy } from '../config/index.ts'
import { holderOfRequest, UNKNOWN_CLIENT } from './client-session.ts'
import {
  handleIn,
  handleKey,
  isChosenByClient,
  isLocalPolicy,
  listsKey,
  principalKey,
  sharedKey,
} from './conversation-keys.ts'
import type { Claim, ConversationUse } from './conversation-room.ts'
import { type Lease, leaseOf } from './lease.ts'
import type { Line } from './line.ts'
import { BY_HANDLE, OF_ALL_CLIENTS, ofUser } from './ownership.ts'
import { EMPTY_PROFILE, type Profile, profileOf } from './profile.ts'
import { RequestConversations } from './request-conversations.ts'
import { SingleUse } from './single-use.ts'
import type { ListKind, Upstream } from './upstream.ts'

/** Those whose handle nobody has brought back yet end earlier: not every client knows handles. */
const UNCLAIMED = 60_000

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']

/** For whom a conversation is begun. */
type Whose = Pick<Claim, 'ownership' | 'holder'>

interface Kept {
  readonly line: Promise<Line>
  /** The same once it is there. */
  opened: Line | undefined
  users: number
  lastUsedAt: number
  /** How long it is kept without use. */
  life: number
}

export class Lines {
  readonly #upstream: Upstream
  readonly #kept = new Map<string, Kept>()
  /** By whose conversation it is: who wants to hear of its lists. While somebody does, it ends only to make room. */
  readonly #followers = new Map<string, Set<(kind: ListKind) => void>>()
  readonly #single: RequestConversations
  #sweep: (() => void) | undefined
  #closed = false
  /** The server has asked something without saying on which call it works, though it could have. */
  #strays = false
  #saidUnshared = false
  readonly #singleUse: SingleUse

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#single = new RequestConversations(upstream)
    this.#singleUse = new SingleUse(upstream)
  }

  get busy(): boolean {
    return [...this.#kept].some((entry) => this.#isUsed(...entry))
  }

  get #idle(): number {
    return this.#upstream.conversationIdle
  }

  /** How many are kept for somebody. */
  get size(): number {
    return this.#kept.size
  }

  lease(inbound: Inbound): Lease | Promise<Lease> {
    const profile = profileOf(inbound.caller.capabilities)
    if (this.#usesHome(inbound, profile)) return this.#homeLease()
    return this.#sharedNow(profile) ?? this.#localNow(inbound, profile) ?? this.#leaseFor(inbound, profile)
  }

  /**
   * Where all clients are one, those that can be asked what the gateway itself can be asked need no second
   * conversation.
   */
  #usesHome(inbound: Inbound, profile: Profile): boolean {
    if (profile.key !== this.#upstream.homeProfile.key || !this.usesHome) return false
    return this.#upstream.hasSingleClient || this.#isLocal(inbound)
  }

  /** Whether the conversation of the gateway itself is that of the local user, or of its only client, as well. */
  get usesHome(): boolean {
    return (
      this.#upstream.hasSingleClient || (this.#upstream.hasLocalUser && isLocalPolicy(this.#upstream.config.session))
    )
  }

  /** Whether the request is one of the only user of this machine's gateway. */
  #isLocal({ principal }: Inbound): boolean {
    return this.#upstream.hasLocalUser && principal === undefined
  }

  /** The kept conversation of the local user, where it has begun. */
  #localNow(inbound: Inbound, profile: Profile): Lease | undefined {
    if (!isLocalPolicy(this.#upstream.config.session) || !this.#isLocal(inbound)) return undefined
    const kept = this.#kept.get(principalKey(inbound, profile))
    const line = kept?.opened
    return kept !== undefined && line?.open === true ? { line, handle: undefined, release: this.#use(kept) } : undefined
  }

  /**
   * What all clients share, where that is wanted and there already, and nothing has to be found out: as it is for
   * nearly every request.
   */
  #sharedNow(profile: Profile): Lease | undefined {
    const kept = this.#upstream.config.session === 'shared' ? this.#kept.get(sharedKey(profile)) : undefined
    const line = kept?.opened
    if (kept === undefined || line?.open !== true) return undefined
    this.#noteStrays(line)
    return !profile.isAskable || line.correlates ? { line, handle: undefined, release: this.#use(kept) } : undefined
  }

  async #leaseFor(inbound: Inbound, profile: Profile): Promise<Lease> {
    switch (await this.policyFor(inbound, profile)) {
      case 'shared':
        return this.#share(profile)
      case 'principal':
        return this.#keep(principalKey(inbound, profile), profile, {
          ownership: ofUser(inbound),
          holder: holderOfRequest(inbound),
        })
      case 'handle':
        return this.#byHandle(inbound, profile)
      case 'request':
        this.#singleUse.note(profile)
        return this.#once(inbound, profile)
    }
  }

  /** The only client there is gets what is there. */
  #homeLease(): Lease | Promise<Lease> {
    const { homeLine } = this.#upstream
    return homeLine?.ready ? leaseOf(homeLine) : this.#upstream.homeNow().then(leaseOf)
  }

  /**
   * The conversation that is kept for the client, if it has one; else one for lists. Nothing is begun for a single
   * request.
   */
  async lend(inbound: Inbound): Promise<Lease | undefined> {
    const profile = profileOf(inbound.caller.capabilities)
    const policy = await this.policyFor(inbound, profile)
    const hasNone = policy === 'request' || (policy === 'handle' && handleIn(inbound) === undefined)
    return hasNone ? this.#forLists(profile) : this.lease(inbound)
  }

  /**
   * Servers may list other tools to clients that declare an extension: those that declare the same read lists in one
   * conversation. `undefined` for clients that declare none: the gateway's own conversation shows the same.
   */
  #forLists(profile: Profile): Promise<Lease> | undefined {
    const { declaration } = profile
    return declaration === EMPTY_PROFILE ? undefined : this.#shareUnder(listsKey(profile), declaration)
  }

  /** The conversation that there is for this client, or for lists of clients like it, if it has begun. */
  keptFor(inbound: Inbound): Line | undefined {
    if (this.#kept.size === 0) return undefined
    for (const key of this.#ownKeys(inbound)) {
      const line = this.#kept.get(key)?.opened
      if (line?.open) return line
    }
    return undefined
  }

  /** Under which there may be a conversation whose lists are the client's. */
  #ownKeys(inbound: Inbound): string[] {
    const profile = profileOf(inbound.caller.capabilities)
    const handle = handleIn(inbound)
    const keys = typeof handle === 'string' ? [handleKey(inbound, handle, profile)] : []
    if (inbound.principal !== undefined || this.#isLocal(inbound)) keys.push(principalKey(inbound, profile))
    if (profile.declaration !== EMPTY_PROFILE) keys.push(listsKey(profile))
    return keys
  }

  /**
   * Told when a list changes in that conversation, also when it begins only later; until the returned function is
   * called.
   */
  followKept(inbound: Inbound, told: (kind: ListKind) => void): () => void {
    const keys = this.#ownKeys(inbound)
    for (const key of keys) this.#followers.set(key, (this.#followers.get(key) ?? new Set()).add(told))
    return () => {
      for (const key of keys) {
        const followers = this.#followers.get(key)
        followers?.delete(told)
        if (followers?.size !== 0) continue
        this.#followers.delete(key)
        const kept = this.#kept.get(key)
        if (kept !== undefined) kept.lastUsedAt = this.#upstream.clock.now()
      }
    }
  }

  /**
   * The conversation that all clients share, for one that shook hands; `undefined` when that is not wanted, or not safe
   * with what it can be asked.
   */
  async share(capabilities: Capabilities): Promise<Lease | undefined> {
    if (this.#upstream.config.session !== 'shared') return undefined
    const profile = profileOf(capabilities)
    if (await this.#mayShare(profile)) return this.#share(profile)
    this.#sayUnshared()
    return undefined
  }

  /** What the operator says, else what is safe: nobody's state is anybody else's. */
  async policyFor(inbound: Inbound, profile: Profile): Promise<SessionPolicy> {
    const { session: chosen } = this.#upstream.config
    const isKnown = inbound.principal !== undefined || this.#isLocal(inbound)
    // Beyond this machine, clients that nobody knows are not one and the same.
    if (chosen === 'principal' && !isKnown) return 'request'
    const asked = chosen ?? (isKnown ? 'principal' : await this.#policyForUnknown(inbound))
    if (asked !== 'shared' || (await this.#mayShare(profile))) return asked
    if (chosen === 'shared') this.#sayUnshared()
    return isKnown ? 'principal' : isChosenByClient(handleIn(inbound)) ? 'handle' : 'request'
  }

  async #policyForUnknown(inbound: Inbound): Promise<SessionPolicy> {
    if (await this.#isSessionless()) return 'shared'
    return isChosenByClient(handleIn(inbound)) ? 'handle' : 'request'
  }

  /** Where it cannot be told on which call a server works when it asks, several clients cannot share it. */
  async #mayShare(profile: Profile): Promise<boolean> {
    if (!profile.isAskable) return true
    const common = await this.#kept.get(sharedKey(profile))?.line.catch(() => undefined)
    if (common !== undefined) this.#noteStrays(common)
    return !this.#strays && (await this.#upstream.home()).correlates
  }

  /** What the operator asked for is not done: once is enough. */
  #sayUnshared(): void {
    if (this.#saidUnshared) return
    this.#saidUnshared = true
    const { name, log } = this.#upstream
    log.warning(
      `${name}: "session": "shared" is not followed for clients that can be asked something (elicitation, sampling, roots): the server does not say to which ` +
        'call a question belongs, so it could be put to the wrong client. Each of them has a session of its own, or one for each request. ' +
        'To keep one for each user, set "session": "principal" and "principalHeader"; a server that is reached over HTTP, and names the call with each question, can be shared',
      { server: name },
    )
  }

  /** Ends one conversation that was opened ahead, if there is one; kept when it has ended. */
  endSpare(): Promise<void> | undefined {
    return this.#single.endOne()
  }

  /** Ends everything that is kept for later and not in use. */
  rest(): void {
    for (const [key, kept] of this.#kept) if (!this.#isUsed(key, kept)) void this.#end(key, kept)
    this.#single.endAll()
  }

  close(): void {
    this.#closed = true
    this.#sweep?.()
    for (const [key, kept] of this.#kept) void this.#end(key, kept)
    this.#single.close()
  }

  /**
   * A server that gave no session id and runs elsewhere remembers nothing of whom it speaks with; false while nobody
   * knows.
   */
  get isSessionless(): boolean {
    const session = this.#upstream.homeLine?.client.session
    return session?.transport === 'http' && !session.remembered
  }

  async #isSessionless(): Promise<boolean> {
    await this.#upstream.home()
    return this.isSessionless
  }

  #share(profile: Profile): Promise<Lease> {
    return this.#shareUnder(sharedKey(profile), profile)
  }

  async #shareUnder(key: string, profile: Profile): Promise<Lease> {
    const lease = await this.#keep(key, profile, { ownership: OF_ALL_CLIENTS, holder: UNKNOWN_CLIENT.holder })
    lease.line.shared = true
    return lease
  }

  async #byHandle(inbound: Inbound, profile: Profile): Promise<Lease> {
    const given = handleIn(inbound)
    if (given !== undefined && typeof given !== 'string')
      throw new ParleyError('invalid_params', { message: `_meta["${HANDLE_KEY}"] must be a string` })
    const whose = { ownership: BY_HANDLE, holder: holderOfRequest(inbound) }
    if (isChosenByClient(given)) return this.#keep(handleKey(inbound, given, profile), profile, whose)
    if (given !== undefined && !this.#kept.has(handleKey(inbound, given, profile))) {
      throw new ParleyError('invalid_params', {
        message: `_meta["${HANDLE_KEY}"] names no conversation, or one that has ended: leave it out to begin a new one`,
      })
    }
    const handle = given ?? systemMint()
    return {
      ...(await this.#keep(
        handleKey(inbound, handle, profile),
        profile,
        whose,
        given === undefined ? UNCLAIMED : this.#idle,
      )),
      handle,
    }
  }

  async #keep(key: string, profile: Profile, whose: Whose, life = this.#idle): Promise<Lease> {
    const known = this.#kept.get(key)
    const kept = known ?? this.#begin(key, profile, whose)
    kept.life = life
    const release = this.#use(kept)
    try {
      const line = await kept.line
      this.#noteStrays(line)
      if (line.open) return { line, handle: undefined, release }
    } catch (error) {
      release()
      throw error
    }
    release()
    void this.#end(key, kept)
    // One that ended unnoticed is begun again; one that ends as soon as it was begun would be for ever.
    if (known === undefined)
      throw new ParleyError('connection_closed', {
        message: `Server "${this.#upstream.name}" ended the conversation at once`,
      })
    return this.#keep(key, profile, whose, life)
  }

  /** It is in use until the returned function is called. */
  #use(kept: Kept): () => void {
    kept.users++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      kept.users--
      if (kept.opened !== undefined) this.#noteStrays(kept.opened)
      kept.lastUsedAt = this.#upstream.clock.now()
      this.#upstream.touch()
    }
  }

  /** What one conversation has shown of the server holds for the others. */
  #noteStrays(line: Line): void {
    this.#strays ||= line.strays
    line.strays = this.#strays
  }

  #begin(key: string, { capabilities }: Profile, whose: Whose): Kept {
    const claim: Claim = { ...whose, use: (line) => this.#useOf(key, kept, line) }
    const line = this.#upstream.openLine({ capabilities, claim, lasting: true })
    const kept: Kept = { line, opened: undefined, users: 0, lastUsedAt: this.#upstream.clock.now(), life: this.#idle }
    this.#kept.set(key, kept)
    const forget = (): void => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    kept.line.then((line) => {
      kept.opened = line
      for (const kind of KINDS) line.client.onListChanged(kind, () => this.#listChanged(key, kind))
      line.client.onState(({ to }) => {
        if (to !== 'closed') return
        forget()
        // What only this conversation had is gone with it.
        for (const kind of KINDS) this.#listChanged(key, kind)
      })
    }, forget)
    this.#watch()
    return kept
  }

  #listChanged(key: string, kind: ListKind): void {
    for (const told of [...(this.#followers.get(key) ?? [])]) told(kind)
  }

  #isUsed(key: string, { users }: Kept): boolean {
    return users > 0 || this.#followers.has(key)
  }

  /** One conversation, one request. */
  async #once(inbound: Inbound, profile: Profile): Promise<Lease> {
    const line = await this.#single.take(inbound, profile)
    return { line, handle: undefined, release: () => void line.close() }
  }

  async #end(key: string, kept: Kept): Promise<void> {
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    await kept.line.then((line) => line.close()).catch(() => {})
  }

  /** How it is used, for whoever needs room. */
  #useOf(key: string, kept: Kept, line: Line): ConversationUse {
    const followers = this.#followers
    return {
      isUsed: true,
      get lastUsedAt() {
        return kept.lastUsedAt
      },
      get askedAt() {
        return line.askedAt
      },
      get isFollowed() {
        return followers.has(key)
      },
      get activity() {
        if (kept.users === 0) return 'idle'
        return kept.users > line.waiting ? 'working' : 'asked'
      },
      end: () => this.#end(key, kept),
    }
  }

  #watch(): void {
    if (this.#sweep !== undefined || this.#closed) return
    this.#sweep = this.#upstream.clock.after(UNCLAIMED, () => {
      this.#sweep = undefined
      const now = this.#upstream.clock.now()
      for (const [key, kept] of this.#kept)
        if (!this.#isUsed(key, kept) && now - kept.lastUsedAt >= kept.life) void this.#end(key, kept)
      if (this.#kept.size > 0) this.#watch()
    })
  }
}

/** Whose conversation with a server of the handshake era a request gets that has no session of its own (8.2). */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { HANDLE_KEY, type Inbound, systemMint } from 'parley-mcp/engine'
import type { SessionPolicy } from '../../config/index.ts'
import { abilitiesOf, type ClientAbilities, NO_ABILITIES } from '../clients/client-abilities.ts'
import { holderOfRequest, UNKNOWN_CLIENT } from '../clients/client-session.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ListKind, Upstream } from '../upstream.ts'
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
import { BY_HANDLE, OF_ALL_CLIENTS, ofUser } from './ownership.ts'
import { RequestConversations } from './request-conversations.ts'
import { SessionChoice } from './session-choice.ts'

/** Those whose handle nobody has brought back yet end earlier: not every client knows handles. */
const UNCLAIMED = 60_000

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']

/** For whom a conversation is begun. */
type Whose = Pick<Claim, 'ownership' | 'holder'>

interface Kept {
  readonly conversation: Promise<Conversation>
  /** The same once it is there. */
  opened: Conversation | undefined
  users: number
  lastUsedAt: number
  /** How long it is kept without use. */
  life: number
}

export class ConversationPool {
  readonly #upstream: Upstream
  readonly #kept = new Map<string, Kept>()
  /** By whose conversation it is: who wants to hear of its lists. While somebody does, it ends only to make room. */
  readonly #followers = new Map<string, Set<(kind: ListKind) => void>>()
  readonly #single: RequestConversations
  #sweep: (() => void) | undefined
  #closed = false
  readonly choice: SessionChoice

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#single = new RequestConversations(upstream)
    this.choice = new SessionChoice(upstream)
  }

  get busy(): boolean {
    return [...this.#kept].some((entry) => this.#isUsed(...entry))
  }

  /** How many are kept for clients. */
  get size(): number {
    return this.#kept.size
  }

  lease(inbound: Inbound): Lease | Promise<Lease> {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    if (this.#sharesGatewayConversation(inbound, abilities)) return this.#gatewayLease()
    return (
      this.#openedShared(abilities) ?? this.#keptForLocalUser(inbound, abilities) ?? this.#leaseFor(inbound, abilities)
    )
  }

  /**
   * Where all clients are one, those that can be asked what the gateway itself can be asked need no second
   * conversation.
   */
  #sharesGatewayConversation(inbound: Inbound, abilities: ClientAbilities): boolean {
    if (abilities.key !== this.#upstream.gatewayAbilities.key || !this.sharesGatewayConversation) return false
    return this.#upstream.hasSingleClient || this.choice.isLocalUser(inbound)
  }

  /** Whether the conversation of the gateway itself is that of the local user, or of its only client, as well. */
  get sharesGatewayConversation(): boolean {
    return (
      this.#upstream.hasSingleClient || (this.#upstream.hasLocalUser && isLocalPolicy(this.#upstream.config.session))
    )
  }

  /** The kept conversation of the local user, where it has begun. */
  #keptForLocalUser(inbound: Inbound, abilities: ClientAbilities): Lease | undefined {
    if (!isLocalPolicy(this.#upstream.config.session) || !this.choice.isLocalUser(inbound)) return undefined
    const kept = this.#kept.get(principalKey(inbound, abilities))
    const conversation = kept?.opened
    return kept !== undefined && conversation?.open === true
      ? { conversation, handle: undefined, release: this.#use(kept) }
      : undefined
  }

  /**
   * What all clients share, where that is wanted and there already, and nothing has to be found out: as it is for
   * nearly every request.
   */
  #openedShared(abilities: ClientAbilities): Lease | undefined {
    const kept = this.#upstream.config.session === 'shared' ? this.#kept.get(sharedKey(abilities)) : undefined
    const conversation = kept?.opened
    if (kept === undefined || conversation?.open !== true) return undefined
    this.choice.noteStrays(conversation)
    return !abilities.isAskable || conversation.correlates
      ? { conversation, handle: undefined, release: this.#use(kept) }
      : undefined
  }

  async #leaseFor(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    switch (await this.#policyFor(inbound, abilities)) {
      case 'shared':
        return this.#share(abilities)
      case 'principal':
        return this.#keep(principalKey(inbound, abilities), abilities, {
          ownership: ofUser(inbound),
          holder: holderOfRequest(inbound),
        })
      case 'handle':
        return this.#byHandle(inbound, abilities)
      case 'request':
        this.choice.noteSingleUse(abilities)
        return this.#once(inbound, abilities)
    }
  }

  #gatewayLease(): Lease | Promise<Lease> {
    const { openedGatewayConversation } = this.#upstream
    return openedGatewayConversation?.ready
      ? leaseOf(openedGatewayConversation)
      : this.#upstream.readyGatewayConversation().then(leaseOf)
  }

  /**
   * The conversation that is kept for the client, if it has one; else one for lists. Nothing is begun for a single
   * request.
   */
  async lend(inbound: Inbound): Promise<Lease | undefined> {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    const policy = await this.#policyFor(inbound, abilities)
    const hasNone = policy === 'request' || (policy === 'handle' && handleIn(inbound) === undefined)
    return hasNone ? this.#forLists(abilities) : this.lease(inbound)
  }

  /**
   * Servers may list other tools to clients that declare an extension: those that declare the same read lists in one
   * conversation. `undefined` for clients that declare none: the gateway's own conversation shows the same.
   */
  #forLists(abilities: ClientAbilities): Promise<Lease> | undefined {
    const { declaration } = abilities
    return declaration === NO_ABILITIES ? undefined : this.#shareUnder(listsKey(abilities), declaration)
  }

  /** The conversation that there is for this client, or for lists of clients like it, if it has begun. */
  keptFor(inbound: Inbound): Conversation | undefined {
    if (this.#kept.size === 0) return undefined
    for (const key of this.#ownKeys(inbound)) {
      const conversation = this.#kept.get(key)?.opened
      if (conversation?.open) return conversation
    }
    return undefined
  }

  /** Under which there may be a conversation whose lists are the client's. */
  #ownKeys(inbound: Inbound): string[] {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    const handle = handleIn(inbound)
    const keys = typeof handle === 'string' ? [handleKey(inbound, handle, abilities)] : []
    if (inbound.principal !== undefined || this.choice.isLocalUser(inbound)) keys.push(principalKey(inbound, abilities))
    if (abilities.declaration !== NO_ABILITIES) keys.push(listsKey(abilities))
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
    const abilities = abilitiesOf(capabilities)
    await this.#noteShared(abilities)
    if (await this.choice.mayShare(abilities)) return this.#share(abilities)
    this.choice.sayUnshared()
    return undefined
  }

  async #policyFor(inbound: Inbound, abilities: ClientAbilities): Promise<SessionPolicy> {
    await this.#noteShared(abilities)
    return this.choice.for(inbound, abilities)
  }

  /** What the shared conversation has shown of the server decides whether others may use it. */
  async #noteShared(abilities: ClientAbilities): Promise<void> {
    if (!abilities.isAskable) return
    const common = await this.#kept.get(sharedKey(abilities))?.conversation.catch(() => undefined)
    if (common !== undefined) this.choice.noteStrays(common)
  }

  /** Ends one conversation that was opened ahead, if there is one; kept when it has ended. */
  endOneOpenedAhead(): Promise<void> | undefined {
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

  #share(abilities: ClientAbilities): Promise<Lease> {
    return this.#shareUnder(sharedKey(abilities), abilities)
  }

  async #shareUnder(key: string, abilities: ClientAbilities): Promise<Lease> {
    const lease = await this.#keep(key, abilities, { ownership: OF_ALL_CLIENTS, holder: UNKNOWN_CLIENT.holder })
    lease.conversation.shared = true
    return lease
  }

  async #byHandle(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    const given = handleIn(inbound)
    if (given !== undefined && typeof given !== 'string')
      throw new ParleyError('invalid_params', { message: `_meta["${HANDLE_KEY}"] must be a string` })
    const whose = { ownership: BY_HANDLE, holder: holderOfRequest(inbound) }
    if (isChosenByClient(given)) return this.#keep(handleKey(inbound, given, abilities), abilities, whose)
    if (given !== undefined && !this.#kept.has(handleKey(inbound, given, abilities))) {
      throw new ParleyError('invalid_params', {
        message: `_meta["${HANDLE_KEY}"] names no conversation, or one that has ended: leave it out to begin a new one`,
      })
    }
    const handle = given ?? systemMint()
    return {
      ...(await this.#keep(
        handleKey(inbound, handle, abilities),
        abilities,
        whose,
        given === undefined ? UNCLAIMED : this.#upstream.conversationIdle,
      )),
      handle,
    }
  }

  async #keep(
    key: string,
    abilities: ClientAbilities,
    whose: Whose,
    life = this.#upstream.conversationIdle,
  ): Promise<Lease> {
    const known = this.#kept.get(key)
    const kept = known ?? this.#begin(key, abilities, whose)
    kept.life = life
    const release = this.#use(kept)
    try {
      const conversation = await kept.conversation
      this.choice.noteStrays(conversation)
      if (conversation.open) return { conversation, handle: undefined, release }
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
    return this.#keep(key, abilities, whose, life)
  }

  /** It is in use until the returned function is called. */
  #use(kept: Kept): () => void {
    kept.users++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      kept.users--
      if (kept.opened !== undefined) this.choice.noteStrays(kept.opened)
      kept.lastUsedAt = this.#upstream.clock.now()
      this.#upstream.touch()
    }
  }

  #begin(key: string, { capabilities }: ClientAbilities, whose: Whose): Kept {
    const claim: Claim = { ...whose, use: (conversation) => this.#useOf(key, kept, conversation) }
    const conversation = this.#upstream.openConversation({ capabilities, claim, lasting: true })
    const kept: Kept = {
      conversation,
      opened: undefined,
      users: 0,
      lastUsedAt: this.#upstream.clock.now(),
      life: this.#upstream.conversationIdle,
    }
    this.#kept.set(key, kept)
    const forget = (): void => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    kept.conversation.then((conversation) => {
      kept.opened = conversation
      for (const kind of KINDS) conversation.client.onListChanged(kind, () => this.#listChanged(key, kind))
      conversation.client.onState(({ to }) => {
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
  async #once(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    const conversation = await this.#single.take(inbound, abilities)
    return { conversation, handle: undefined, release: () => void conversation.close() }
  }

  async #end(key: string, kept: Kept): Promise<void> {
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    await kept.conversation.then((conversation) => conversation.close()).catch(() => {})
  }

  /** How it is used, for whoever needs room. */
  #useOf(key: string, kept: Kept, conversation: Conversation): ConversationUse {
    const followers = this.#followers
    return {
      isUsed: true,
      get lastUsedAt() {
        return kept.lastUsedAt
      },
      get askedAt() {
        return conversation.askedAt
      },
      get isFollowed() {
        return followers.has(key)
      },
      get activity() {
        if (kept.users === 0) return 'idle'
        return kept.users > conversation.waiting ? 'working' : 'asked'
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

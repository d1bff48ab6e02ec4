/** The conversations that the gateway keeps between requests of clients without a session. */
import { ParleyError } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import type { ClientAbilities } from '../clients/client-abilities.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { LIST_KINDS, type ListKind } from '../lists/list-kinds.ts'
import type { Opening } from './client-conversations.ts'
import type { Claim, ConversationUse } from './conversation-room.ts'
import type { Lease } from './lease.ts'

/** How often idle conversations are looked for, in milliseconds. */
const CHECK_INTERVAL_MS = 60_000

export interface KeptConversationsHost {
  readonly name: string
  readonly clock: Clock
  /** How long an idle conversation is kept, in milliseconds. */
  readonly conversationIdle: number
  openConversation(opening: Opening): Promise<Conversation>
  /** The server is in use. */
  touch(): void
}

/** Who gets a conversation. */
export type Whose = Pick<Claim, 'ownership' | 'holder'>

export interface KeptConversation {
  readonly conversation: Promise<Conversation>
  /** The same once it is open. */
  opened: Conversation | undefined
  users: number
  lastUsedAt: number
  /** How long it is kept without use, in milliseconds. */
  maxIdle: number
}

export class KeptConversations {
  readonly #server: KeptConversationsHost
  /** Called before a conversation is given to a request, and after the request. */
  readonly #onUse: (conversation: Conversation) => void
  readonly #kept = new Map<string, KeptConversation>()
  /** The listeners for list changes, by key. A conversation with listeners ends only to make room. */
  readonly #followers = new Map<string, Set<(kind: ListKind) => void>>()
  #stopCheck: (() => void) | undefined
  #isClosed = false

  constructor(server: KeptConversationsHost, onUse: (conversation: Conversation) => void) {
    this.#server = server
    this.#onUse = onUse
  }

  get size(): number {
    return this.#kept.size
  }

  /** Whether a request or a listener uses one of them. */
  get busy(): boolean {
    return [...this.#kept].some((entry) => this.#isUsed(...entry))
  }

  has(key: string): boolean {
    return this.#kept.has(key)
  }

  /** The conversation, if it is open. */
  findOpen(key: string): KeptConversation | undefined {
    const kept = this.#kept.get(key)
    return kept?.opened?.open === true ? kept : undefined
  }

  /** Resolves with the conversation once it is open, if there is one. */
  async whenOpened(key: string): Promise<Conversation | undefined> {
    return this.#kept.get(key)?.conversation.catch(() => undefined)
  }

  /** Takes a conversation that is open. */
  take(kept: KeptConversation): Lease {
    return { conversation: kept.opened as Conversation, handle: undefined, release: this.#use(kept) }
  }

  /** Takes the conversation, and opens it first when there is none. */
  async open(
    key: string,
    abilities: ClientAbilities,
    whose: Whose,
    maxIdle = this.#server.conversationIdle,
  ): Promise<Lease> {
    const known = this.#kept.get(key)
    const kept = known ?? this.#begin(key, abilities, whose)
    kept.maxIdle = maxIdle
    const release = this.#use(kept)
    try {
      const conversation = await kept.conversation
      this.#onUse(conversation)
      if (conversation.open) return { conversation, handle: undefined, release }
    } catch (error) {
      release()
      throw error
    }
    release()
    void this.#end(key, kept)
    // A conversation that has ended since is opened again. One that ends as soon as it opens is not, or this never
    // ends.
    if (known === undefined)
      throw new ParleyError('connection_closed', {
        message: `Server "${this.#server.name}" ended the conversation at once`,
      })
    return this.open(key, abilities, whose, maxIdle)
  }

  /** Reports list changes in these conversations, also in those that begin later. */
  follow(keys: readonly string[], changed: (kind: ListKind) => void): () => void {
    for (const key of keys) this.#followers.set(key, (this.#followers.get(key) ?? new Set()).add(changed))
    return () => {
      for (const key of keys) {
        const followers = this.#followers.get(key)
        followers?.delete(changed)
        if (followers?.size !== 0) continue
        this.#followers.delete(key)
        const kept = this.#kept.get(key)
        if (kept !== undefined) kept.lastUsedAt = this.#server.clock.now()
      }
    }
  }

  /** Ends the conversations that are not in use. */
  endIdle(): void {
    for (const [key, kept] of this.#kept) if (!this.#isUsed(key, kept)) void this.#end(key, kept)
  }

  close(): void {
    this.#isClosed = true
    this.#stopCheck?.()
    for (const [key, kept] of this.#kept) void this.#end(key, kept)
  }

  #begin(key: string, { capabilities }: ClientAbilities, whose: Whose): KeptConversation {
    const claim: Claim = { ...whose, use: (conversation) => this.#useOf(key, kept, conversation) }
    const kept: KeptConversation = {
      conversation: this.#server.openConversation({ capabilities, claim, lasting: true }),
      opened: undefined,
      users: 0,
      lastUsedAt: this.#server.clock.now(),
      maxIdle: this.#server.conversationIdle,
    }
    this.#kept.set(key, kept)
    const forget = (): void => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    kept.conversation.then((conversation) => {
      kept.opened = conversation
      for (const kind of LIST_KINDS) conversation.client.onListChanged(kind, () => this.#listChanged(key, kind))
      conversation.client.onState(({ to }) => {
        if (to !== 'closed') return
        forget()
        // The next conversation may have other lists.
        for (const kind of LIST_KINDS) this.#listChanged(key, kind)
      })
    }, forget)
    this.#checkLater()
    return kept
  }

  /** Counts a request until the returned function is called. */
  #use(kept: KeptConversation): () => void {
    kept.users++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      kept.users--
      if (kept.opened !== undefined) this.#onUse(kept.opened)
      kept.lastUsedAt = this.#server.clock.now()
      this.#server.touch()
    }
  }

  #isUsed(key: string, { users }: KeptConversation): boolean {
    return users > 0 || this.#followers.has(key)
  }

  #listChanged(key: string, kind: ListKind): void {
    for (const changed of [...(this.#followers.get(key) ?? [])]) changed(kind)
  }

  /** Tells how it is used, when another conversation needs room. */
  #useOf(key: string, kept: KeptConversation, { questions }: Conversation): ConversationUse {
    const followers = this.#followers
    return {
      isUsed: true,
      get lastUsedAt() {
        return kept.lastUsedAt
      },
      get askedAt() {
        return questions.askedAt
      },
      get isFollowed() {
        return followers.has(key)
      },
      get activity() {
        if (kept.users === 0) return 'idle'
        return kept.users > questions.waitingCalls ? 'working' : 'asked'
      },
      end: () => this.#end(key, kept),
    }
  }

  async #end(key: string, kept: KeptConversation): Promise<void> {
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    await kept.conversation.then((conversation) => conversation.close()).catch(() => {})
  }

  #checkLater(): void {
    if (this.#stopCheck !== undefined || this.#isClosed) return
    this.#stopCheck = this.#server.clock.after(CHECK_INTERVAL_MS, () => {
      this.#stopCheck = undefined
      const now = this.#server.clock.now()
      for (const [key, kept] of this.#kept)
        if (!this.#isUsed(key, kept) && now - kept.lastUsedAt >= kept.maxIdle) void this.#end(key, kept)
      if (this.#kept.size > 0) this.#checkLater()
    })
  }
}

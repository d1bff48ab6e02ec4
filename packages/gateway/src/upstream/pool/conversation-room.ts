/** Counts the conversations of clients with one server, and chooses the one that ends to make room for the next. */
import { type Activity, type Holder, Holders, type SessionUse, sessionToEnd } from 'parley-mcp/engine'
import type { Conversation } from '../conversation/conversation.ts'
import type { Ownership } from './ownership.ts'

/** The client for which a conversation is opened. */
export interface Claim {
  readonly ownership: Ownership
  /** The result of `holderOf`. */
  readonly holder: string
  /** How it is used, once it is open. */
  use(conversation: Conversation): ConversationUse
}

export interface ConversationUse extends Omit<SessionUse, 'holder' | 'isOpen'> {
  /** Ends it to make room. */
  end(): Promise<void>
}

/** One conversation, from before it opens until it has ended. */
export class Occupant implements SessionUse {
  readonly holder: Holder
  readonly ownership: Ownership
  readonly isOpen = true
  #use: ConversationUse | undefined
  #isEnding = false

  constructor(holder: Holder, ownership: Ownership) {
    this.holder = holder
    this.ownership = ownership
  }

  opened(use: ConversationUse): void {
    this.#use = use
  }

  get isUsed(): boolean {
    return this.#use?.isUsed === true
  }
  get lastUsedAt(): number {
    return this.#use?.lastUsedAt ?? 0
  }
  get askedAt(): number {
    return this.#use?.askedAt ?? 0
  }
  get isFollowed(): boolean {
    return this.#use?.isFollowed === true
  }
  /** A conversation that opens or ends cannot make room. */
  get activity(): Activity {
    return this.#isEnding ? 'working' : (this.#use?.activity ?? 'working')
  }

  async end(): Promise<void> {
    this.#isEnding = true
    await this.#use?.end()
  }
}

export class ConversationRoom {
  readonly #holders = new Holders()
  readonly #occupants = new Set<Occupant>()

  /** Includes conversations that open or close. */
  get size(): number {
    return this.#occupants.size
  }

  enter({ holder, ownership }: Claim): Occupant {
    const occupant = new Occupant(this.#holders.enter(holder), ownership)
    this.#occupants.add(occupant)
    return occupant
  }

  leave(occupant: Occupant): void {
    if (this.#occupants.delete(occupant)) this.#holders.leave(occupant.holder)
  }

  /** The conversation that ends when this holder needs room. */
  replaceable(holder: string, now: number): Occupant | undefined {
    return sessionToEnd([...this.#occupants], this.#holders, holder, now)
  }
}

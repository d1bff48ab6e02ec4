/** The conversations that clients have with one server: how many there are, and which one makes room for the next. */
import { type Activity, type Holder, Holders, type SessionUse, sessionToEnd } from 'parley-mcp/engine'
import type { Conversation } from '../conversation/conversation.ts'
import type { Ownership } from './ownership.ts'

/** For whom a conversation is opened. */
export interface Claim {
  readonly ownership: Ownership
  /** As `holderOf` tells. */
  readonly holder: string
  /** How it is used, once it is open. */
  use(conversation: Conversation): ConversationUse
}

export interface ConversationUse extends Omit<SessionUse, 'holder' | 'isOpen'> {
  /** Ends it, because another one needs the room. */
  end(): Promise<void>
}

/** One conversation, from the moment that there is room for it until it has ended. */
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
  /** Until it is open, its client waits for it. One that ends makes room already. */
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

  /** Those being opened, open, and being closed. */
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

  /** The one that is to end for another one of that holder. */
  replaceable(holder: string, now: number): Occupant | undefined {
    return sessionToEnd([...this.#occupants], this.#holders, holder, now)
  }
}

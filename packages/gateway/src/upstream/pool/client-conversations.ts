/** Conversations with a server in the names of clients: opened while there is room, or another one makes room. */
import type { Capabilities } from 'parley-mcp'
import type { Clock, Introduction } from 'parley-mcp/engine'
import type { ServerConfig } from '../../config/index.ts'
import type { Conversation, ConversationOwner } from '../conversation/conversation.ts'
import { tooManySessions } from '../refusals.ts'
import type { ConversationLog } from './conversation-log.ts'
import { type Claim, ConversationRoom } from './conversation-room.ts'

/** A conversation that is to be opened. */
export interface Opening {
  /** Who the server is told it speaks with. Default: the gateway. */
  readonly info?: Introduction['info']
  readonly capabilities: Capabilities
  /** Who is asked, and told, what belongs to no call. */
  readonly owner?: ConversationOwner
  /** Whether it is opened again when it is lost. */
  readonly lasting: boolean
  /** How its client began. */
  readonly prefer?: 'handshake'
  readonly claim: Claim
}

export interface ConversationHost {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: ConversationLog
  open(opening: Opening): Promise<Conversation>
  /** A server elsewhere that has no sessions has nothing to be spared. */
  isSessionless(): boolean
  /** Ends a conversation that was opened ahead, if there is one. */
  endOneOpenedAhead(): Promise<void> | undefined
}

export class ClientConversations {
  readonly #host: ConversationHost
  readonly #room = new ConversationRoom()

  constructor(host: ConversationHost) {
    this.#host = host
  }

  /** Whether there are as many as there may be. */
  get full(): boolean {
    return this.#room.size >= this.#host.config.maxSessions && !this.#host.isSessionless()
  }

  async open(opening: Opening): Promise<Conversation> {
    const { claim } = opening
    const room = this.full ? this.#makeRoom(claim.holder) : Promise.resolve()
    if (room === undefined) throw tooManySessions(this.#host.config)
    const occupant = this.#room.enter(claim)
    const leave = (): void => this.#room.leave(occupant)
    try {
      await room
      const conversation = await this.#host.open(opening)
      occupant.opened(claim.use(conversation))
      this.#host.log.opened(conversation.client, claim.ownership)
      // What is being closed is still there, perhaps as a process.
      const closed = (): void => void conversation.close().then(leave, leave)
      if (conversation.open) conversation.client.onState(({ to }) => to === 'closed' && closed())
      else closed()
      return conversation
    } catch (error) {
      leave()
      throw error
    }
  }

  /**
   * Ends one conversation: one that was opened ahead, or one whose client is not at work.
   * Kept when it has ended; `undefined`: all are in use.
   */
  #makeRoom(holder: string): Promise<void> | undefined {
    const { clock, config, log, endOneOpenedAhead } = this.#host
    const spare = endOneOpenedAhead()
    if (spare !== undefined) return spare
    const now = clock.now()
    const occupant = this.#room.replaceable(holder, now)
    if (occupant === undefined) return undefined
    log.madeRoom(occupant.ownership, now - occupant.lastUsedAt, config.maxSessions)
    return occupant.end()
  }
}

/**
 * Opens conversations for clients. When the server has `maxSessions` of them already, another one ends to make room.
 */
import type { Capabilities } from 'parley-mcp'
import type { Clock, Introduction } from 'parley-mcp/engine'
import type { ServerConfig } from '../../config/index.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationOwner } from '../conversation/server-questions.ts'
import { tooManySessions } from '../refusals.ts'
import type { ConversationLog } from './conversation-log.ts'
import { type Claim, ConversationRoom } from './conversation-room.ts'

export interface Opening {
  /** The name and version that the server is told. Default: those of the gateway. */
  readonly info?: Introduction['info']
  readonly capabilities: Capabilities
  /** The client that gets the questions and notifications that belong to no call. */
  readonly owner?: ConversationOwner
  /** Whether it is opened again when it is lost. */
  readonly lasting: boolean
  /** The era that its client began with. */
  readonly prefer?: 'handshake'
  readonly claim: Claim
}

export interface ClientConversationsHost {
  readonly config: ServerConfig
  readonly clock: Clock
  readonly log: ConversationLog
  open(opening: Opening): Promise<Conversation>
  /** Whether the number of conversations needs no limit: the server is remote and has no sessions. */
  isSessionless(): boolean
  /** Ends a conversation that was opened ahead, if there is one. */
  endOneOpenedAhead(): Promise<void> | undefined
}

export class ClientConversations {
  readonly #host: ClientConversationsHost
  readonly #room = new ConversationRoom()

  constructor(host: ClientConversationsHost) {
    this.#host = host
  }

  /** Whether there is no room for another one. */
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
      // A conversation that closes takes room until it has ended: it may be a process.
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
   * Ends a conversation that was opened ahead, or one whose client is idle. Resolves when it has ended. `undefined`:
   * all are in use.
   */
  #makeRoom(holder: string): Promise<void> | undefined {
    const { clock, config, log, endOneOpenedAhead } = this.#host
    const ended = endOneOpenedAhead()
    if (ended !== undefined) return ended
    const now = clock.now()
    const occupant = this.#room.replaceable(holder, now)
    if (occupant === undefined) return undefined
    log.madeRoom(occupant.ownership, now - occupant.lastUsedAt, config.maxSessions)
    return occupant.end()
  }
}

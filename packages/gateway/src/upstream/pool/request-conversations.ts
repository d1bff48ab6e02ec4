/** Conversations for one request each. The next one is opened ahead, so that the next request does not wait for it. */
import type { Clock, Inbound } from 'parley-mcp/engine'
import type { ServerConfig } from '../../config/index.ts'
import type { ClientAbilities } from '../clients/client-abilities.ts'
import { holderOfRequest, UNKNOWN_CLIENT } from '../clients/client-session.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ClientConversations, Opening } from './client-conversations.ts'
import type { Claim } from './conversation-room.ts'
import { OF_ONE_REQUEST } from './ownership.ts'

/** How long a conversation that was opened ahead is kept, in milliseconds. */
const MAX_AHEAD_MS = 60_000
/** How many conversations are opened ahead. */
const MAX_AHEAD = 4

interface OpenedAhead {
  readonly conversation: Promise<Conversation>
  readonly stop: () => void
}

export interface RequestConversationsHost {
  readonly config: Pick<ServerConfig, 'target'>
  readonly clock: Clock
  readonly conversations: Pick<ClientConversations, 'full'>
  openConversation(opening: Opening): Promise<Conversation>
}

export class RequestConversations {
  readonly #server: RequestConversationsHost
  /** By abilities. */
  readonly #ahead = new Map<string, OpenedAhead>()
  #closed = false

  constructor(server: RequestConversationsHost) {
    this.#server = server
  }

  /** The caller closes the conversation after the request. */
  async take(inbound: Inbound, abilities: ClientAbilities): Promise<Conversation> {
    const ahead = this.#ahead.get(abilities.key)
    ahead?.stop()
    this.#ahead.delete(abilities.key)
    const opened = await ahead?.conversation.catch(() => undefined)
    if (opened?.ready === false) void opened.close()
    const conversation = opened?.ready ? opened : await this.#open(abilities, holderOfRequest(inbound))
    this.#openAhead(abilities)
    return conversation
  }

  /** Ends a conversation that was opened ahead, if there is one. Resolves when it has ended. */
  endOne(): Promise<void> | undefined {
    const [key] = this.#ahead.keys()
    return key === undefined ? undefined : this.#end(key)
  }

  endAll(): void {
    for (const key of [...this.#ahead.keys()]) void this.#end(key)
  }

  close(): void {
    this.#closed = true
    this.endAll()
  }

  #openAhead(abilities: ClientAbilities): void {
    const { key } = abilities
    if (this.#closed || this.#server.conversations.full || this.#ahead.has(key) || this.#ahead.size >= MAX_AHEAD) return
    const conversation = this.#open(abilities, UNKNOWN_CLIENT.holder)
    const stop = this.#server.clock.after(MAX_AHEAD_MS, () => void this.#end(key))
    this.#ahead.set(key, { conversation, stop })
    conversation.catch(() => this.#end(key))
  }

  /** A remote server may forget a session before it is used. The session is then opened again. */
  #open({ capabilities }: ClientAbilities, holder: string): Promise<Conversation> {
    return this.#server.openConversation({
      capabilities,
      claim: claimOf(holder),
      lasting: this.#server.config.target.kind === 'remote',
    })
  }

  async #end(key: string): Promise<void> {
    const ahead = this.#ahead.get(key)
    this.#ahead.delete(key)
    ahead?.stop()
    await ahead?.conversation.then((conversation) => conversation.close()).catch(() => {})
  }
}

/** A conversation whose request waits for its client may end to make room. */
function claimOf(holder: string): Claim {
  return {
    holder,
    ownership: OF_ONE_REQUEST,
    use: (conversation) => ({
      isUsed: true,
      lastUsedAt: 0,
      get askedAt() {
        return conversation.questions.askedAt
      },
      get activity() {
        return conversation.questions.waitingCalls > 0 ? 'asked' : 'working'
      },
      end: () => conversation.close(),
    }),
  }
}

/** Conversations for one request each. The next one is opened ahead, so that its request need not wait for it. */
import type { Inbound } from 'parley-mcp/engine'
import type { ClientAbilities } from '../clients/client-abilities.ts'
import { holderOfRequest, UNKNOWN_CLIENT } from '../clients/client-session.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Upstream } from '../upstream.ts'
import type { Claim } from './conversation-room.ts'
import { OF_ONE_REQUEST } from './ownership.ts'

/** Those that were opened ahead end after so many milliseconds. */
const SPARE_LIFE = 60_000
const MOST_SPARES = 4

interface Spare {
  readonly conversation: Promise<Conversation>
  readonly stop: () => void
}

export class RequestConversations {
  readonly #upstream: Upstream
  /** By abilities: opened, and never used. */
  readonly #spares = new Map<string, Spare>()
  #closed = false

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /** A conversation that the caller closes after its request. */
  async take(inbound: Inbound, abilities: ClientAbilities): Promise<Conversation> {
    const spare = this.#spares.get(abilities.key)
    spare?.stop()
    this.#spares.delete(abilities.key)
    const prepared = await spare?.conversation.catch(() => undefined)
    if (prepared?.ready === false) void prepared.close()
    const conversation = prepared?.ready ? prepared : await this.#open(abilities, holderOfRequest(inbound))
    this.#prepare(abilities)
    return conversation
  }

  /** Ends one that was opened ahead, if there is one; kept when it has ended. */
  endOne(): Promise<void> | undefined {
    const [key] = this.#spares.keys()
    return key === undefined ? undefined : this.#end(key)
  }

  endAll(): void {
    for (const key of [...this.#spares.keys()]) void this.#end(key)
  }

  close(): void {
    this.#closed = true
    this.endAll()
  }

  #prepare(abilities: ClientAbilities): void {
    const { key } = abilities
    if (this.#closed || this.#upstream.conversations.full || this.#spares.has(key) || this.#spares.size >= MOST_SPARES)
      return
    const conversation = this.#open(abilities, UNKNOWN_CLIENT.holder)
    const stop = this.#upstream.clock.after(SPARE_LIFE, () => void this.#end(key))
    this.#spares.set(key, { conversation, stop })
    conversation.catch(() => this.#end(key))
  }

  /** A server elsewhere may have forgotten a session before it was used: then it is begun again. */
  #open({ capabilities }: ClientAbilities, holder: string): Promise<Conversation> {
    return this.#upstream.openConversation({
      capabilities,
      claim: claimOf(holder),
      lasting: this.#upstream.config.target.kind === 'remote',
    })
  }

  async #end(key: string): Promise<void> {
    const spare = this.#spares.get(key)
    this.#spares.delete(key)
    spare?.stop()
    await spare?.conversation.then((conversation) => conversation.close()).catch(() => {})
  }
}

/** While its request waits for an answer of its client, nobody works with it. */
function claimOf(holder: string): Claim {
  return {
    holder,
    ownership: OF_ONE_REQUEST,
    use: (conversation) => ({
      isUsed: true,
      lastUsedAt: 0,
      get askedAt() {
        return conversation.askedAt
      },
      get activity() {
        return conversation.waiting > 0 ? 'asked' : 'working'
      },
      end: () => conversation.close(),
    }),
  }
}

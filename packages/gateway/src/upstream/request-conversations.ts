/** Conversations for one request each. The next one is opened ahead, so that its request need not wait for it. */
import type { Inbound } from 'parley-mcp/engine'
import { holderOfRequest, UNKNOWN_CLIENT } from './client-session.ts'
import type { Claim } from './conversation-room.ts'
import type { Line } from './line.ts'
import { OF_ONE_REQUEST } from './ownership.ts'
import type { Profile } from './profile.ts'
import type { Upstream } from './upstream.ts'

/** Those that were opened ahead end after so many milliseconds. */
const SPARE_LIFE = 60_000
const MOST_SPARES = 4

interface Spare {
  readonly line: Promise<Line>
  readonly stop: () => void
}

export class RequestConversations {
  readonly #upstream: Upstream
  /** By profile: opened, and never used. */
  readonly #spares = new Map<string, Spare>()
  #closed = false

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /** A conversation that the caller closes after its request. */
  async take(inbound: Inbound, profile: Profile): Promise<Line> {
    const spare = this.#spares.get(profile.key)
    spare?.stop()
    this.#spares.delete(profile.key)
    const prepared = await spare?.line.catch(() => undefined)
    if (prepared?.ready === false) void prepared.close()
    const line = prepared?.ready ? prepared : await this.#open(profile, holderOfRequest(inbound))
    this.#prepare(profile)
    return line
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

  #prepare(profile: Profile): void {
    const { key } = profile
    if (this.#closed || this.#upstream.conversations.full || this.#spares.has(key) || this.#spares.size >= MOST_SPARES)
      return
    const line = this.#open(profile, UNKNOWN_CLIENT.holder)
    const stop = this.#upstream.clock.after(SPARE_LIFE, () => void this.#end(key))
    this.#spares.set(key, { line, stop })
    line.catch(() => this.#end(key))
  }

  /** A server elsewhere may have forgotten a session before it was used: then it is begun again. */
  #open({ capabilities }: Profile, holder: string): Promise<Line> {
    return this.#upstream.openLine({
      capabilities,
      claim: claimOf(holder),
      lasting: this.#upstream.config.target.kind === 'remote',
    })
  }

  async #end(key: string): Promise<void> {
    const spare = this.#spares.get(key)
    this.#spares.delete(key)
    spare?.stop()
    await spare?.line.then((line) => line.close()).catch(() => {})
  }
}

/** While its request waits for an answer of its client, nobody works with it. */
function claimOf(holder: string): Claim {
  return {
    holder,
    ownership: OF_ONE_REQUEST,
    use: (line) => ({
      isUsed: true,
      lastUsedAt: 0,
      get askedAt() {
        return line.askedAt
      },
      get activity() {
        return line.waiting > 0 ? 'asked' : 'working'
      },
      end: () => line.close(),
    }),
  }
}

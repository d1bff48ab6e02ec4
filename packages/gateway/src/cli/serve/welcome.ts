/**
 * Tells whoever has started the gateway of each server when it is reached or has failed, and what to try; nothing more
 * once the gateway ends.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import { serverLine, stillStarting, toTry } from './greeting.ts'
import { suggestedCalls } from './suggestions.ts'

export interface WelcomeOptions {
  /** Of the gateway, without a path. */
  readonly url: string
  /** How this program is called here. */
  readonly command: string
  readonly write: (text: string) => void
  readonly clock: Clock
  /** Whether what is written stands between the warnings of the log. Default false. */
  readonly inLog?: boolean
}

/** Whoever wants to try it does not wait longer than this for servers that are slow to start, in milliseconds. */
const PATIENCE = 5000

export class Welcome {
  readonly #options: WelcomeOptions
  #isOver = false
  #stopWaiting: (() => void) | undefined

  constructor(options: WelcomeOptions) {
    this.#options = options
  }

  /** Those that are late are told of when they come. */
  async greet(upstreams: readonly Upstream[]): Promise<void> {
    const { url, command } = this.#options
    const awaited = new Set(upstreams)
    const told = upstreams.map(async (upstream) => {
      if (!upstream.config.lazy) await upstream.gatewayConversation().catch(() => undefined)
      awaited.delete(upstream)
      this.#write(serverLine(upstream, this.#options.inLog))
    })
    await this.#patiently(Promise.all(told))
    for (const { name } of awaited) this.#write(stillStarting(name))
    if (this.#isOver) return
    this.#write(toTry(url, command, await suggestedCalls(upstreams)))
  }

  end(): void {
    this.#isOver = true
    this.#stopWaiting?.()
  }

  async #patiently(all: Promise<unknown>): Promise<void> {
    const patience = new Promise<void>((resolve) => {
      this.#stopWaiting = this.#options.clock.after(PATIENCE, resolve)
    })
    await Promise.race([all, patience])
    this.#stopWaiting?.()
  }

  #write(text: string): void {
    if (!this.#isOver) this.#options.write(text)
  }
}

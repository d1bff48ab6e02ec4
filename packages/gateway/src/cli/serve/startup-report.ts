/**
 * Prints each server when it is connected or has failed, and commands to try. Prints nothing more
 * after the gateway ended.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import { sampleCalls } from './sample-calls.ts'
import { commandsToTry, serverLine, stillStarting } from './startup-text.ts'

export interface StartupReportOptions {
  /** The URL of the gateway, without a path. */
  readonly url: string
  /** How to call this program here. */
  readonly command: string
  readonly write: (text: string) => void
  readonly clock: Clock
  /** Whether the output is mixed with the log. Default: false. */
  readonly inLog?: boolean
}

/** The longest wait for slow servers before the commands to try, in milliseconds. */
const MAX_START_WAIT_MS = 5000

export class StartupReport {
  readonly #options: StartupReportOptions
  #isOver = false
  #stopWaiting: (() => void) | undefined

  constructor(options: StartupReportOptions) {
    this.#options = options
  }

  /** Prints late servers when they are connected. */
  async print(upstreams: readonly Upstream[]): Promise<void> {
    const { url, command } = this.#options
    const awaited = new Set(upstreams)
    const told = upstreams.map(async (upstream) => {
      if (!upstream.config.lazy) await upstream.gatewayConversation().catch(() => undefined)
      awaited.delete(upstream)
      this.#write(serverLine(upstream, this.#options.inLog))
    })
    await this.#waitBriefly(Promise.all(told))
    for (const { name } of awaited) this.#write(stillStarting(name))
    if (this.#isOver) return
    this.#write(commandsToTry(url, command, await sampleCalls(upstreams)))
  }

  end(): void {
    this.#isOver = true
    this.#stopWaiting?.()
  }

  async #waitBriefly(all: Promise<unknown>): Promise<void> {
    const limit = new Promise<void>((resolve) => {
      this.#stopWaiting = this.#options.clock.after(MAX_START_WAIT_MS, resolve)
    })
    await Promise.race([all, limit])
    this.#stopWaiting?.()
  }

  #write(text: string): void {
    if (!this.#isOver) this.#options.write(text)
  }
}

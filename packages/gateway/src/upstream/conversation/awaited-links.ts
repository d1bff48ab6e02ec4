/**
 * The links that a server of the handshake era wants opened before it serves a request. They are remembered as long as
 * the server may still report that the user has opened them.
 */
import type { Clock, Inbound } from 'parley-mcp/engine'

/**
 * How long a request waits for that report, in milliseconds. Not every server sends it. A server that has never sent it
 * gets a short time once. A server that has sent it before gets the long time.
 */
const MAX_WAIT_MS = { announcing: 30_000, unknown: 3000 }
/** How many links are remembered. The oldest are forgotten first. */
const MAX_LINKS = 1000

export class AwaitedLinks {
  /** The ids of the links. */
  readonly #awaited = new Set<string>()
  readonly #waiting = new Set<() => void>()
  /** Whether this server reports opened links. `silent`: it has never done so, and a request has waited in vain. */
  #server: 'unknown' | 'announcing' | 'silent' = 'unknown'

  expect(ids: readonly string[]): void {
    for (const id of ids) {
      this.#awaited.delete(id)
      this.#awaited.add(id)
    }
    for (const id of this.#awaited) {
      if (this.#awaited.size <= MAX_LINKS) return
      this.#awaited.delete(id)
    }
  }

  has(id: string): boolean {
    return this.#awaited.has(id)
  }

  /** The server reports that the user has opened a link. Returns false when no request waits for that link. */
  served(id: unknown): boolean {
    if (!this.#awaited.delete(id as string)) return false
    this.#server = 'announcing'
    for (const check of [...this.#waiting]) check()
    return true
  }

  /**
   * Resolves when the user has opened all of the links, when the time is over, or when the request is cancelled.
   * Returns `undefined` when there is nothing to wait for.
   */
  whenServed(ids: readonly string[], inbound: Inbound, clock: Clock): Promise<void> | undefined {
    const isOpen = (): boolean => ids.some((id) => this.#awaited.has(id))
    const kind = this.#server
    if (kind === 'silent' || !isOpen() || inbound.cancelled) return undefined
    return new Promise((resolve) => {
      const end = (): void => {
        for (const id of ids) this.#awaited.delete(id)
        this.#waiting.delete(check)
        stopWaiting()
        forget()
        resolve()
      }
      const check = (): void => {
        if (!isOpen()) end()
      }
      this.#waiting.add(check)
      const giveUp = (): void => {
        if (this.#server === 'unknown') this.#server = 'silent'
        end()
      }
      const stopWaiting = clock.after(MAX_WAIT_MS[kind], giveUp)
      const forget = inbound.onCancel(end)
    })
  }
}

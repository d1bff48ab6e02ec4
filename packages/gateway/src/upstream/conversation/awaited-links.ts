/**
 * Links that a server of the handshake era wants opened before it serves a request, for as long as it may still tell
 * that the user is done (8.3).
 */
import type { Clock, Inbound } from 'parley-mcp/engine'

/**
 * Longest time, in milliseconds, that a request is held for the server to say so. Not every server does: one that has
 * never said so is given a moment once, and one that has is believed to do so again.
 */
const HOLD = { announcing: 30_000, unknown: 3000 }
/** Most that are remembered; those that were named first are forgotten first. */
const MOST = 1000

export class AwaitedLinks {
  /** By id. */
  readonly #awaited = new Set<string>()
  readonly #waiting = new Set<() => void>()
  /** Whether this server tells; `silent` when it was waited for in vain and has never told. */
  #server: 'unknown' | 'announcing' | 'silent' = 'unknown'

  expect(ids: readonly string[]): void {
    for (const id of ids) {
      this.#awaited.delete(id)
      this.#awaited.add(id)
    }
    for (const id of this.#awaited) {
      if (this.#awaited.size <= MOST) return
      this.#awaited.delete(id)
    }
  }

  has(id: string): boolean {
    return this.#awaited.has(id)
  }

  /** The server has told so of one; false when nobody here waits for that. */
  served(id: unknown): boolean {
    if (!this.#awaited.delete(id as string)) return false
    this.#server = 'announcing'
    for (const look of [...this.#waiting]) look()
    return true
  }

  /**
   * Kept when all of them have served their purpose, or nobody waits for it any more; `undefined` when there is nothing
   * to wait for.
   */
  whenServed(ids: readonly string[], inbound: Inbound, clock: Clock): Promise<void> | undefined {
    const isOpen = (): boolean => ids.some((id) => this.#awaited.has(id))
    const kind = this.#server
    if (kind === 'silent' || !isOpen() || inbound.cancelled) return undefined
    return new Promise((resolve) => {
      const end = (): void => {
        for (const id of ids) this.#awaited.delete(id)
        this.#waiting.delete(look)
        stopWaiting()
        forget()
        resolve()
      }
      const look = (): void => {
        if (!isOpen()) end()
      }
      this.#waiting.add(look)
      const giveUp = (): void => {
        if (this.#server === 'unknown') this.#server = 'silent'
        end()
      }
      const stopWaiting = clock.after(HOLD[kind], giveUp)
      const forget = inbound.onCancel(end)
    })
  }
}

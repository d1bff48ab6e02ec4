/** Progress that goes on after its request was answered, because the answer was a task (C-32). */
import type { Progress } from '../options.ts'

interface Listener {
  readonly handler: (progress: Progress) => void
  last: number
}

/** Nobody says for certain when a task is over; more than these are not listened to. */
const MAX_LISTENERS = 1000

export class LastingProgress {
  readonly #listeners = new Map<unknown, Listener>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Returns how to stop. */
  expect(token: string, handler: (progress: Progress) => void): () => void {
    if (this.#listeners.size >= MAX_LISTENERS) this.#listeners.delete(this.#listeners.keys().next().value)
    this.#listeners.set(token, { handler, last: Number.NEGATIVE_INFINITY })
    return () => this.#listeners.delete(token)
  }

  /** False when nobody waits for it. */
  tell(token: unknown, progress: Progress): boolean {
    const listener = this.#listeners.get(token)
    if (listener === undefined || !(progress.progress > listener.last)) return false
    listener.last = progress.progress
    try {
      const outcome: unknown = listener.handler(progress)
      if (outcome instanceof Promise) outcome.catch(this.#onError)
    } catch (error) {
      this.#onError(error)
    }
    return true
  }
}

/** Progress of this side's requests: reads it, and delivers what continues after the answer. */
import type { Body } from '../../jsonrpc/index.ts'
import type { Progress } from '../request-options.ts'

interface Listener {
  readonly handler: (progress: Progress) => void
  last: number
}

/** A task may end without notice, so the number of listeners is limited. */
const MAX_LISTENERS = 1000

/** Progress that continues after its request was answered, because the answer was a task (C-32). */
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

  /** False when no listener has the token. */
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

/** What progress consists of; the token is this side's own. */
const KNOWN: ReadonlySet<string> = new Set(['progressToken', 'progress', 'total', 'message'])

/** Undefined when there is no number. */
export function readProgress(params: Body): Progress | undefined {
  const { progress, total, message } = params
  if (typeof progress !== 'number') return undefined
  const told: Progress = { progress }
  if (typeof total === 'number') told.total = total
  if (typeof message === 'string') told.message = message
  // Nearly always there is nothing more.
  const names = Object.keys(params).filter((name) => !KNOWN.has(name))
  if (names.length > 0) told.more = Object.fromEntries(names.map((name) => [name, params[name]]))
  return told
}

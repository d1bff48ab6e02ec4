/** Lets one call after the other take a turn. A waiting call may be cancelled. */
import { ParleyError } from 'parley-mcp'
import { WaitQueue } from '../../supervision/index.ts'

export interface MutexOptions {
  /** How many calls may wait. */
  readonly maxQueued: number
  readonly signal?: AbortSignal | undefined
}

export class Mutex {
  readonly #waiting = new WaitQueue<() => void>()
  #isTaken = false

  /** Whether a call that comes now has to wait. */
  get taken(): boolean {
    return this.#isTaken
  }

  /** Resolves with the function that ends the turn. */
  take({ maxQueued, signal }: MutexOptions): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(cancelled(signal))
    if (!this.#isTaken) {
      this.#isTaken = true
      return Promise.resolve(this.#begin())
    }
    if (this.#waiting.size >= maxQueued) return Promise.reject(tooMany(maxQueued))
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.leave(entry)
        reject(cancelled(signal))
      }
      const entry = this.#waiting.join(() => {
        signal?.removeEventListener('abort', cancel)
        resolve(this.#begin())
      })
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** The returned function ends the turn. Only its first call counts. */
  #begin(): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const next = this.#waiting.next()
      if (next === undefined) this.#isTaken = false
      else next()
    }
  }
}

function cancelled(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', {
    message: 'The request was cancelled before its turn',
    cause: signal?.reason,
  })
}

function tooMany(maxQueued: number): ParleyError {
  return new ParleyError('too_many_requests', {
    message: `${maxQueued} requests of this session already wait for their turn: try again later, or raise maxQueued`,
  })
}

/** One after the other: whoever comes while somebody has the turn waits for the end of it, or leaves before. */
import { ParleyError } from 'parley-mcp'
import { WaitQueue } from '../../supervision/index.ts'

export interface MutexOptions {
  /** Most that wait. */
  readonly maxQueued: number
  readonly signal?: AbortSignal | undefined
}

export class Mutex {
  readonly #waiting = new WaitQueue<() => void>()
  #isTaken = false

  /** Whether whoever comes now has to wait. */
  get taken(): boolean {
    return this.#isTaken
  }

  /** Resolves with the way to end the turn. */
  take({ maxQueued, signal }: MutexOptions): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(left(signal))
    if (!this.#isTaken) {
      this.#isTaken = true
      return Promise.resolve(this.#turn())
    }
    if (this.#waiting.size >= maxQueued) return Promise.reject(tooMany(maxQueued))
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.leave(place)
        reject(left(signal))
      }
      const place = this.#waiting.join(() => {
        signal?.removeEventListener('abort', leave)
        resolve(this.#turn())
      })
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** The end of a turn, which only counts once. */
  #turn(): () => void {
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

function left(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', {
    message: 'The request was cancelled before its turn',
    cause: signal?.reason,
  })
}

function tooMany(maxQueued: number): ParleyError {
  return new ParleyError('too_many_requests', {
    message: `${maxQueued} requests wait in this session for one that may be asked something: try again later, or raise maxQueued`,
  })
}

/** Time and randomness, injected so that tests own both. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer: unknown = setTimeout(task, Math.min(ms, 0x7fffffff))
    // A waiting time-out must not keep a process alive that has nothing else to do.
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as never)
  },
}

/** Makes unguessable ids. */
export type Mint = () => string

export const systemMint: Mint = () => crypto.randomUUID()

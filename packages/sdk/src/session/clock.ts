/** Time and randomness, injected so that tests own both. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once after `ms`; the returned function cancels it. `hold` says that the program must not end before. */
  after(ms: number, task: () => void, hold?: boolean): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task, hold = false) {
    const timer: unknown = setTimeout(task, Math.min(ms, 0x7fffffff))
    // A waiting time-out must not keep a process alive that has nothing else to do.
    if (!hold) (timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as never)
  },
}

/** Makes unguessable ids. */
export type Mint = () => string

export const systemMint: Mint = () => crypto.randomUUID()

/** Time and randomness, injected so that tests own both. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Runs `task` once after `ms`; the returned function cancels it. `hold` says that the program must not end before.
   */
  after(ms: number, task: () => void, hold?: boolean): Cancel
}

export interface Cancel {
  (): void
  /** Changes whether the program must not end before. Absent where that makes no difference. */
  hold?(hold: boolean): void
}

/** What `setTimeout` gives in some runtimes; in others it is a number, and a program that ends does not ask for it. */
interface Timer {
  ref?(): void
  unref?(): void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task, hold = false) {
    const timer = setTimeout(task, Math.min(ms, 0x7fffffff)) as Timer
    const cancel: Cancel = () => clearTimeout(timer as never)
    cancel.hold = (on) => (on ? timer.ref?.() : timer.unref?.())
    // A timer must not keep a process alive that has nothing else to do.
    if (!hold) timer.unref?.()
    return cancel
  },
}

/** Makes unguessable ids. */
export type Mint = () => string

/**
 * In lower case already. Node joins the text from twenty pieces, which take ten times the memory until the text is
 * first read.
 */
export const systemMint: Mint = () => crypto.randomUUID().toLowerCase()

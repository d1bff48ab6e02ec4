/** How much matching of patterns one value may cost, over all its texts. */
import { type PatternCost, stepsFor } from './pattern.ts'

/** Steps in the worst case that need no clock: some hundred milliseconds. Honest values rarely come near. */
const FREE_STEPS = 2e8
/** Milliseconds for what comes after them: most patterns do better than their worst case. */
const MAX_TIME = 500
const TOO_MANY = '; it has too many or too long texts to be matched against a pattern'

/** Checking a value takes more work than a peer may ask for. */
export class TooCostly extends Error {
  constructor(reason = '') {
    super(`takes too long to be checked against this schema${reason}`)
  }
}

/** Counts the worst case of each match before it begins. When that sum is used up, the clock decides. */
export class PatternBudget {
  readonly #now: () => number
  #steps = 0
  #end: number | undefined

  constructor(now = (): number => performance.now()) {
    this.#now = now
  }

  /** For the next value. */
  reset(): void {
    this.#steps = 0
    this.#end = undefined
  }

  /** Throws `TooCostly` where a text may not be matched. */
  spend(cost: PatternCost, length: number): void {
    this.#steps += stepsFor(cost, length, length)
    if (this.#steps <= FREE_STEPS) return
    this.#end ??= this.#now() + MAX_TIME
    if (this.#now() > this.#end) throw new TooCostly(TOO_MANY)
  }

  /** The same for many texts at once, between which nothing can be stopped. */
  spendOnAll(cost: PatternCost, longest: number, total: number): void {
    if (stepsFor(cost, longest, total) > FREE_STEPS) throw new TooCostly(TOO_MANY)
    this.spend(cost, longest)
    this.#steps += stepsFor(cost, longest, total)
  }
}

/** Outcomes of used tokens: a client that lost an answer and repeats its request gets the same answer again. */
import { type ByteBudget, Charge } from '../../collections/index.ts'
import { Serialised } from '../../jsonrpc/index.ts'
import type { Clock } from '../clock.ts'
import type { Answer } from '../endpoint.ts'
import { costOf } from '../memory/budgets.ts'

interface Spent {
  readonly outcome: Promise<Answer>
  /** Set when the outcome is known. */
  until: number
  charge: Charge | undefined
}

export class SpentTokens {
  readonly #clock: Clock
  readonly #keepFor: number
  readonly #most: number
  readonly #tokens = new Map<string, Spent>()
  #cancelSweep: (() => void) | undefined

  constructor(clock: Clock, keepFor: number, most: number) {
    this.#clock = clock
    this.#keepFor = keepFor
    this.#most = most
  }

  get size(): number {
    return this.#tokens.size
  }

  outcomeOf(token: string): Promise<Answer> | undefined {
    const spent = this.#tokens.get(token)
    return spent === undefined || spent.until <= this.#clock.now() ? undefined : spent.outcome
  }

  /** `spends` decides whether a failure has used up the token. Without room in `budget` the outcome is not kept. */
  add(token: string, outcome: Promise<Answer>, budget: ByteBudget, spends: (error: unknown) => boolean): void {
    const spent: Spent = { outcome, until: Number.POSITIVE_INFINITY, charge: undefined }
    this.#tokens.set(token, spent)
    const oldest = this.#tokens.size > this.#most ? this.#tokens.keys().next().value : undefined
    if (oldest !== undefined) this.#drop(oldest)
    outcome.then(
      (answer) => {
        const cost = answer instanceof Serialised ? costOf(undefined, answer.json.length) : costOf(answer)
        if (this.#tokens.get(token) !== spent) return
        if (budget.fullFor(cost) !== undefined) return this.#drop(token)
        spent.charge = new Charge(budget, cost)
        this.#settled(spent)
      },
      (error) => {
        if (spends(error)) this.#settled(spent)
        else if (this.#tokens.get(token) === spent) this.#drop(token)
      },
    )
  }

  #drop(token: string): void {
    this.#tokens.get(token)?.charge?.give()
    this.#tokens.delete(token)
  }

  clear(): void {
    for (const { charge } of this.#tokens.values()) charge?.give()
    this.#tokens.clear()
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
  }

  #settled(spent: Spent): void {
    spent.until = this.#clock.now() + this.#keepFor
    if (this.#tokens.size > 0) this.#cancelSweep ??= this.#clock.after(this.#keepFor, () => this.#sweep())
  }

  /** One timer for all tokens: there may be thousands in a minute. */
  #sweep(): void {
    this.#cancelSweep = undefined
    const now = this.#clock.now()
    for (const [token, { until }] of this.#tokens) if (until <= now) this.#drop(token)
    if (this.#tokens.size > 0) this.#cancelSweep = this.#clock.after(this.#keepFor, () => this.#sweep())
  }
}

/** Where everybody who wants to start an upstream has to pass: lets them through, lets them wait, or sends them away, as the reducer decides. */
import type { Clock } from 'parley-mcp/engine'
import type { RestartSettings } from '../config/index.ts'
import { beginRestarts, type RestartDecision, type RestartEvent, type RestartState, stepRestarts } from './intensity.ts'

/** What one start is known by afterwards. */
export interface Pass {
  readonly generation: number
  /** Whether it was let through alone, because of what happened before. */
  readonly restart: boolean
}

export type Refusal = 'given_up' | 'trial' | 'crowded'

export interface GateOptions {
  readonly restart: RestartSettings
  readonly clock: Clock
  readonly random: () => number
  readonly refuse: (why: Refusal) => Error
}

interface Waiter {
  readonly resolve: (pass: Pass) => void
  readonly reject: (error: Error) => void
}

const MAX_WAITING = 1000

export class Gate {
  readonly #options: GateOptions
  readonly #waiting: Waiter[] = []
  #state: RestartState
  #closed: Error | undefined
  #cancelTimer: (() => void) | undefined

  constructor(options: GateOptions) {
    this.#options = options
    this.#state = beginRestarts(options.restart)
  }

  get state(): RestartState {
    return this.#state
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** When somebody will get through again; undefined when somebody would now, or nobody knows. */
  get nextAt(): number | undefined {
    const { phase, until } = this.#state
    const now = this.#options.clock.now()
    return (phase === 'waiting' || phase === 'given_up') && until > now ? until : undefined
  }

  /** Why nobody would be let through now, nor be let wait. */
  get refusal(): Error | undefined {
    if (this.#closed !== undefined) return this.#closed
    const [, decision] = stepRestarts(this.#state, { type: 'tick', at: this.#options.clock.now() })
    return decision.type === 'refuse' ? this.#refused(decision) : undefined
  }

  pass(): Promise<Pass> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(this.#options.refuse('crowded'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#pump()
    })
  }

  proved({ generation }: Pass): void {
    this.#step({ type: 'proved', at: this.#options.clock.now(), generation })
  }

  withdrawn({ generation }: Pass): void {
    this.#step({ type: 'withdrawn', at: this.#options.clock.now(), generation })
  }

  ended({ generation }: Pass, abnormal: boolean, silent = false): RestartDecision {
    const { clock, random } = this.#options
    return this.#step({ type: 'ended', at: clock.now(), abnormal, generation, silent, chance: random() })
  }

  /** Nobody gets through any more. */
  close(error: Error): void {
    this.#closed ??= error
    this.#cancelTimer?.()
    this.#sendAway(this.#closed)
  }

  #step(event: RestartEvent): RestartDecision {
    const [state, decision] = stepRestarts(this.#state, event)
    this.#state = state
    this.#pump()
    return decision
  }

  #pump(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const { clock } = this.#options
    while (this.#waiting.length > 0) {
      const at = clock.now()
      const [state, decision] = stepRestarts(this.#state, { type: 'tick', at })
      this.#state = state
      if (decision.type === 'refuse') return this.#sendAway(this.#refused(decision))
      if (decision.type !== 'start') {
        const { until } = decision as { until?: number }
        // Whoever waits for the upstream waits for this timer, too.
        if (until !== undefined) this.#cancelTimer = clock.after(until - at, () => this.#pump(), true)
        return
      }
      const restart = state.phase === 'probing'
      ;[this.#state] = stepRestarts(state, { type: 'started', at })
      this.#waiting.shift()?.resolve({ generation: state.generation, restart })
    }
  }

  #refused({ until }: { readonly until: number | undefined }): Error {
    return this.#options.refuse(until === undefined ? 'trial' : 'given_up')
  }

  #sendAway(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

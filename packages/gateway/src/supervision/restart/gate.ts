/**
 * Every start of a server passes this gate. The restart reducer decides whether the start happens, waits or is refused.
 */
import type { Clock } from 'parley-mcp/engine'
import type { RestartSettings } from '../../config/index.ts'
import { beginRestarts, type RestartDecision, type RestartEvent, type RestartState, stepRestarts } from './intensity.ts'

/** Identifies one start in later events. */
export interface Pass {
  readonly generation: number
  /** Whether this start is the only one allowed after an earlier failure. */
  readonly restart: boolean
}

export type Refusal = 'given_up' | 'trial' | 'crowded'

export interface GateOptions {
  readonly restart: RestartSettings
  readonly clock: Clock
  readonly random: () => number
  readonly refuse: (why: Refusal) => Error
}

interface WaitingStart {
  readonly resolve: (pass: Pass) => void
  readonly reject: (error: Error) => void
}

const MAX_WAITING = 1000

export class Gate {
  readonly #options: GateOptions
  readonly #waiting: WaitingStart[] = []
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

  /** When the gate opens again. Undefined if it is open now, or if the time is unknown. */
  get nextAt(): number | undefined {
    const { phase, until } = this.#state
    const now = this.#options.clock.now()
    return (phase === 'waiting' || phase === 'given_up') && until > now ? until : undefined
  }

  /** The error with which the gate would refuse a start now. Undefined if a start would pass or wait. */
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

  /** Refuses all waiting and later starts. */
  close(error: Error): void {
    this.#closed ??= error
    this.#cancelTimer?.()
    this.#rejectAll(this.#closed)
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
      if (decision.type === 'refuse') return this.#rejectAll(this.#refused(decision))
      if (decision.type !== 'start') {
        const { until } = decision as { until?: number }
        // Requests wait for this timer, so it keeps the process alive.
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

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

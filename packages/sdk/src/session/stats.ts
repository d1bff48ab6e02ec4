/** Counters of one session: what went through, what was ignored and what was lost. */
import type { Loss } from '../versions/index.ts'
import type { Phase } from './phase.ts'

export interface MethodCounters {
  sent: number
  received: number
  failed: number
}

export interface SessionStats {
  readonly methods: Readonly<Record<string, Readonly<MethodCounters>>>
  /** Frames and messages that were neither answered nor used, by reason. */
  readonly ignored: Readonly<Record<string, number>>
  readonly droppedNotifications: number
  readonly failedHandlers: number
  /** Translation losses by rule id. */
  readonly losses: Readonly<Record<string, number>>
}

const MAX_METHODS = 200
/** Longer names are no method names. */
const MAX_NAME = 100
const MAX_LOSSES = 200
const OTHER = '(other)'

export class Stats {
  droppedNotifications = 0
  failedHandlers = 0
  // Most of the many sessions a server has open count little: what is not needed is not made.
  #losses: Loss[] | undefined
  #methods: Map<string, MethodCounters> | undefined
  #ignored: Map<string, number> | undefined
  #lossCounts: Map<string, number> | undefined

  get losses(): readonly Loss[] {
    return this.#losses ?? []
  }

  /** Counters of a method; names come from peers, so their number is bounded. */
  of(method: string): MethodCounters {
    this.#methods ??= new Map()
    const counters = this.#methods.get(method)
    if (counters !== undefined) return counters
    const name = this.#methods.size < MAX_METHODS && method.length <= MAX_NAME ? method : OTHER
    const fresh = this.#methods.get(name) ?? { sent: 0, received: 0, failed: 0 }
    this.#methods.set(name, fresh)
    return fresh
  }

  ignore(what: string): void {
    this.#ignored ??= new Map()
    this.#ignored.set(what, (this.#ignored.get(what) ?? 0) + 1)
  }

  lose(loss: Loss): void {
    this.#lossCounts ??= new Map()
    this.#losses ??= []
    this.#lossCounts.set(loss.rule, (this.#lossCounts.get(loss.rule) ?? 0) + 1)
    if (this.#losses.length < MAX_LOSSES) this.#losses.push(loss)
  }

  snapshot(): SessionStats {
    return {
      methods: Object.fromEntries([...(this.#methods ?? [])].map(([method, counters]) => [method, { ...counters }])),
      ignored: Object.fromEntries(this.#ignored ?? []),
      droppedNotifications: this.droppedNotifications,
      failedHandlers: this.failedHandlers,
      losses: Object.fromEntries(this.#lossCounts ?? []),
    }
  }
}

/** The state of a session at one moment. */
export interface SessionHealth {
  readonly phase: Phase
  readonly alive: boolean
  readonly paused: boolean
  readonly pending: number
  readonly inFlight: number
  readonly lastReceivedAt: number
  readonly idleMs: number
}

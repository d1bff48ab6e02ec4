/**
 * Requests that lost their session: made again where that does no harm, failed where it might, and accounted for either
 * way.
 */
import type { EngineRequestOptions, UnansweredRequest } from '../session/index.ts'
import type { LostRequest, ReconnectSettings } from './reconnect.ts'
import { isRepeatable } from './repeatable.ts'
import type { Waiting } from './waiting.ts'

export interface Losses {
  readonly failed: readonly LostRequest[]
  readonly retried: readonly LostRequest[]
}

export class Orphans {
  readonly #retry: ReconnectSettings['retry']
  readonly #waiting: Waiting
  readonly #isRepeatableTool: (name: string) => boolean
  /** Options of requests that are not made again. */
  readonly #final = new WeakSet<EngineRequestOptions>()
  #failed: LostRequest[] = []
  #retried: LostRequest[] = []

  constructor(retry: ReconnectSettings['retry'], waiting: Waiting, isRepeatableTool: (name: string) => boolean) {
    this.#retry = retry
    this.#waiting = waiting
    this.#isRepeatableTool = isRepeatableTool
  }

  /** True when the request now waits for another session. `seen`: the server may have begun to answer it. */
  take(orphan: UnansweredRequest, seen: boolean): boolean {
    const { id, method, params, options, convert, startedAt, resolve, reject } = orphan
    const harmless = !seen || (this.#retry === 'safe' && isRepeatable(method, params, this.#isRepeatableTool))
    const wasMadeAgain = options !== undefined && this.#final.has(options)
    const again = harmless && !wasMadeAgain && !this.#waiting.full
    ;(again ? this.#retried : this.#failed).push({ id, method, startedAt })
    if (again) this.#waiting.add({ method, params, options: this.#lastTime(options), convert, resolve, reject })
    return again
  }

  /** What was lost since the last time somebody asked. */
  account(): Losses {
    const losses = { failed: this.#failed, retried: this.#retried }
    this.#failed = []
    this.#retried = []
    return losses
  }

  #lastTime(options: EngineRequestOptions | undefined): EngineRequestOptions {
    const last = { ...options }
    this.#final.add(last)
    return last
  }
}

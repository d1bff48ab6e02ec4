/** Request ids: integers that only grow, with a warning before they run out. */
import { ParleyError } from '../../errors/index.ts'

const THRESHOLDS = [0.8, 0.9, 0.96] as const
export type IdThreshold = (typeof THRESHOLDS)[number]

export class RequestIds {
  #last = 0
  #nextThreshold = 0
  readonly #max: number
  readonly #onThreshold: (threshold: IdThreshold, used: number) => void

  constructor(max: number, onThreshold: (threshold: IdThreshold, used: number) => void) {
    this.#max = max
    this.#onThreshold = onThreshold
  }

  get used(): number {
    return this.#last
  }

  /** True once the session should be renewed: only a reserve of ids is left. */
  get nearlyExhausted(): boolean {
    return this.#nextThreshold === THRESHOLDS.length
  }

  next(): number {
    if (this.#last >= this.#max)
      throw new ParleyError('request_ids_exhausted', {
        message: `All ${this.#max} request ids of this session are used; open a new session`,
      })
    const id = ++this.#last
    let threshold = THRESHOLDS[this.#nextThreshold]
    while (threshold !== undefined && id >= this.#max * threshold) {
      this.#nextThreshold++
      this.#onThreshold(threshold, id)
      threshold = THRESHOLDS[this.#nextThreshold]
    }
    return id
  }
}

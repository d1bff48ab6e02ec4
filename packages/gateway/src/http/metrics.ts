/** Counters and gauges, and how Prometheus reads them. */
import { TextFamily } from './metric-family.ts'

export type Labels = Readonly<Record<string, string>>

export interface Counter {
  /** By one, unless told otherwise; never down. */
  add(labels?: Labels, by?: number): void
  /** Counts one more with these labels, and does not look them up each time. */
  each(labels: Labels): () => void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
  /** Forgets what has these labels, as when a server is gone. */
  remove(labels: Labels): void
}

export interface MetricsOptions {
  /**
   * Most combinations of label values of one metric; what comes after them is counted together, with `other` for every
   * label. Default 1000.
   */
  maxSeries?: number
}

/** The current value, measured when a monitor reads. */
export type Measure = (gauge: Gauge) => void

export class Metrics {
  readonly #maxSeries: number
  readonly #families = new Map<string, TextFamily>()
  readonly #measures: (() => void)[] = []

  constructor({ maxSeries = 1000 }: MetricsOptions = {}) {
    this.#maxSeries = maxSeries
  }

  /** The name of a counter ends in `_total`. The same one is given for the same name. */
  counter(name: string, help: string, labels: readonly string[] = []): Counter {
    if (!name.endsWith('_total')) throw new TypeError(`The name of a counter ends in _total: ${name}`)
    const family = this.#family('counter', name, help, labels)
    return {
      add: (given = {}, by = 1) => {
        if (!(by >= 0)) throw new RangeError(`Counters only go up: ${name} by ${by}`)
        family.update(given, (value) => value + by)
      },
      each: (given) => {
        const series = family.at(given)
        return () => {
          series.value++
        }
      },
    }
  }

  /** With `measure`, the values are measured whenever a monitor reads. */
  gauge(name: string, help: string, labels: readonly string[] = [], measure?: Measure): Gauge {
    const family = this.#family('gauge', name, help, labels)
    const gauge: Gauge = {
      set: (value, given = {}) => family.update(given, () => value),
      remove: (given) => family.remove(given),
    }
    if (measure !== undefined) {
      this.#measures.push(() => {
        family.clear()
        measure(gauge)
      })
    }
    return gauge
  }

  /** All of it, in the text format 0.0.4. */
  text(): string {
    for (const measure of this.#measures) measure()
    return [...this.#families.values()].map((family) => family.text()).join('')
  }

  #family(type: 'counter' | 'gauge', name: string, help: string, labels: readonly string[]): TextFamily {
    const known = this.#families.get(name)
    if (known === undefined) {
      const family = new TextFamily({ type, name, help, labels, maxSeries: this.#maxSeries })
      this.#families.set(name, family)
      return family
    }
    if (known.type !== type || known.labels.join() !== labels.join())
      throw new TypeError(`Metric ${name} is already there, as another one`)
    return known
  }
}

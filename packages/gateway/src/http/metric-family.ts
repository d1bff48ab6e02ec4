/** One metric with all its label values, as text. */

export interface FamilyOptions {
  readonly type: 'counter' | 'gauge'
  readonly name: string
  readonly help: string
  /** Names of its labels. */
  readonly labels: readonly string[]
  readonly maxSeries: number
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/
/** Longer values are cut, because clients choose some of them and must not fill the memory. */
const MAX_VALUE_LENGTH = 200
const OTHER = 'other'

interface Series {
  readonly values: readonly string[]
  value: number
}

export class TextFamily {
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
  readonly #name: string
  readonly #help: string
  readonly #maxSeries: number
  readonly #series = new Map<string, Series>()

  constructor({ type, name, help, labels, maxSeries }: FamilyOptions) {
    if (!METRIC_NAME.test(name)) throw new TypeError(`Not the name of a metric: ${JSON.stringify(name)}`)
    const wrong = labels.find((label) => !LABEL_NAME.test(label))
    if (wrong !== undefined) throw new TypeError(`Not the name of a label: ${JSON.stringify(wrong)}`)
    this.type = type
    this.labels = labels
    this.#name = name
    this.#help = help
    this.#maxSeries = maxSeries
    // Without labels, the metric begins with 0, so that a monitor sees it before the first event.
    if (labels.length === 0) this.update({}, () => 0)
  }

  update(labels: Readonly<Record<string, string>>, change: (value: number) => number): void {
    const series = this.at(labels)
    series.value = change(series.value)
  }

  /** The series itself, for a caller that changes it often. */
  at(labels: Readonly<Record<string, string>>): { value: number } {
    return this.#find(this.#valuesOf(labels))
  }

  remove(labels: Readonly<Record<string, string>>): void {
    this.#series.delete(seriesKey(this.#valuesOf(labels)))
  }

  clear(): void {
    this.#series.clear()
  }

  text(): string {
    const lines = [...this.#series.values()].map(
      ({ values, value }) => `${this.#name}${this.#shown(values)} ${shownNumber(value)}\n`,
    )
    return `# HELP ${this.#name} ${escapeHelp(this.#help)}\n# TYPE ${this.#name} ${this.type}\n${lines.join('')}`
  }

  /** A missing label is empty. Prometheus treats both the same. */
  #valuesOf(labels: Readonly<Record<string, string>>): readonly string[] {
    const unknown = Object.keys(labels).find((label) => !this.labels.includes(label))
    if (unknown !== undefined) throw new TypeError(`Metric ${this.#name} has no label ${JSON.stringify(unknown)}`)
    return this.labels.map((label) =>
      Object.hasOwn(labels, label) ? String(labels[label]).slice(0, MAX_VALUE_LENGTH) : '',
    )
  }

  #find(values: readonly string[]): Series {
    const found = this.#series.get(seriesKey(values))
    if (found !== undefined) return found
    const kept = this.#series.size < this.#maxSeries ? values : values.map(() => OTHER)
    const key = seriesKey(kept)
    const series = this.#series.get(key) ?? { values: kept, value: 0 }
    this.#series.set(key, series)
    return series
  }

  #shown(values: readonly string[]): string {
    const pairs = this.labels.map((label, n) => `${label}="${escapeValue(values[n] ?? '')}"`)
    return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
  }
}

function seriesKey(values: readonly string[]): string {
  return JSON.stringify(values)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}

function shownNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

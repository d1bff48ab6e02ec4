/** Collects the problems and warnings of a configuration, with line and column. */
import { ConfigError, type ConfigProblem } from '../problem.ts'

export type PathStep = string | number

const MOST = 50
const LONGEST_STEP = 80

export class ProblemList {
  readonly #file: string
  readonly #lineStarts: readonly number[]
  readonly #problems: ConfigProblem[] = []
  readonly #warnings: ConfigProblem[] = []
  #total = 0

  constructor(file: string, text: string) {
    this.#file = file
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)]
  }

  add(at: number | undefined, path: readonly PathStep[], message: string, hint: string): void {
    this.#total++
    this.#keep(this.#problems, at, path, message, hint)
  }

  addWarning(at: number, path: readonly PathStep[], message: string, hint: string): void {
    this.#keep(this.#warnings, at, path, message, hint)
  }

  lineOf(at: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lineStarts[middle] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the warnings. Throws if there are problems. */
  finish(): readonly ConfigProblem[] {
    if (this.#total > 0) throw new ConfigError(this.#problems.sort(byPosition), this.#total)
    return this.#warnings.sort(byPosition)
  }

  #keep(list: ConfigProblem[], at: number | undefined, path: readonly PathStep[], message: string, hint: string): void {
    if (list.length === MOST) return
    const line = at === undefined ? undefined : this.lineOf(at)
    const column = at === undefined || line === undefined ? undefined : at - (this.#lineStarts[line - 1] ?? 0) + 1
    list.push({ file: this.#file, line, column, path: pathText(path), message, hint })
  }
}

function byPosition(left: ConfigProblem, right: ConfigProblem): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0)
}

/** Such as `mcpServers.files.args[1]`. Quotes keys with special characters. */
export function pathText(path: readonly PathStep[]): string {
  return path.map((step, index) => stepText(step, index === 0)).join('')
}

function stepText(step: PathStep, first: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  if (/^[\p{L}_$][\p{L}\d_$-]{0,79}$/u.test(step)) return first ? step : `.${step}`
  return `[${quoted(step)}]`
}

/** A key for a message: escaped and cut. */
export function quoted(key: string): string {
  return JSON.stringify(key.length > LONGEST_STEP ? `${key.slice(0, LONGEST_STEP)}…` : key)
}

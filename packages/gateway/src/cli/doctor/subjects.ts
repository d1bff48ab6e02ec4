/**
 * What the doctor looks at: each subject is told as soon as it is finished, and what is there of the others when nobody
 * waits any longer.
 */
import { type Check, Findings } from './check.ts'

export class Subjects {
  readonly #all: Findings[] = []
  readonly #open = new Set<Findings>()
  readonly #tell: (finished: Findings) => void

  constructor(tell: (finished: Findings) => void) {
    this.#tell = tell
  }

  /** In the order in which they are added. */
  add(name: string): Findings {
    const findings = new Findings(name)
    this.#all.push(findings)
    this.#open.add(findings)
    return findings
  }

  finished(findings: Findings): void {
    if (this.#open.delete(findings)) this.#tell(findings)
  }

  get checks(): Check[] {
    return this.#all.flatMap(({ checks }) => checks)
  }

  get unfinished(): readonly Findings[] {
    return [...this.#open]
  }
}

/**
 * The reports of all subjects. Passes each one on as soon as it is finished. After an interruption, the others are
 * available unfinished.
 */
import { type Check, SubjectReport } from './subject-report.ts'

export class DoctorReport {
  readonly #all: SubjectReport[] = []
  readonly #open = new Set<SubjectReport>()
  readonly #tell: (finished: SubjectReport) => void

  constructor(tell: (finished: SubjectReport) => void) {
    this.#tell = tell
  }

  /** In the order in which they are added. */
  add(name: string): SubjectReport {
    const report = new SubjectReport(name)
    this.#all.push(report)
    this.#open.add(report)
    return report
  }

  finished(report: SubjectReport): void {
    if (this.#open.delete(report)) this.#tell(report)
  }

  get checks(): Check[] {
    return this.#all.flatMap(({ checks }) => checks)
  }

  get unfinished(): readonly SubjectReport[] {
    return [...this.#open]
  }
}

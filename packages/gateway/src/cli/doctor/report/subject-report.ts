/** The checks of one subject: this machine, a file or a server. */
export type Status = 'ok' | 'warning' | 'problem'

export interface Check {
  /** What it is about: this machine, a file, a server. */
  readonly subject: string
  /** Such as `starts`. Stable between releases. */
  readonly check: string
  readonly status: Status
  readonly detail: string
  /** How to fix it. Null if there is nothing to fix. */
  readonly fix: string | null
}

/** Checks of one subject, in the order in which they were made. */
export class SubjectReport {
  readonly checks: Check[] = []
  readonly subject: string

  constructor(subject: string) {
    this.subject = subject
  }

  ok(check: string, detail: string): void {
    this.#add(check, 'ok', detail, null)
  }

  warning(check: string, detail: string, fix: string): void {
    this.#add(check, 'warning', detail, fix)
  }

  problem(check: string, detail: string, fix: string): void {
    this.#add(check, 'problem', detail, fix)
  }

  #add(check: string, status: Status, detail: string, fix: string | null): void {
    this.checks.push({ subject: this.subject, check, status, detail, fix })
  }
}

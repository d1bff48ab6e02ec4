/** How a command ends badly: with an exit code, a message and a hint. */

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface FailureDetails {
  /** The way to mend it. */
  hint?: string
  /** For programs. */
  data?: unknown
  cause?: unknown
}

export class CliError extends Error {
  override readonly name: string = 'CliError'
  /** A stable name: of the catalogue of errors where it has one. */
  readonly kind: string
  readonly exitCode: ExitCode
  readonly hint: string | undefined
  readonly data: unknown

  constructor(kind: string, exitCode: ExitCode, message: string, { hint, data, cause }: FailureDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.exitCode = exitCode
    this.hint = hint
    this.data = data
  }
}

/** The command was written in a way that means nothing. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', EXIT.usage, message, hint === undefined ? {} : { hint })
}

/** The command was understood, and what it asks for did not come about. */
export function failed(kind: string, message: string, details?: FailureDetails): CliError {
  return new CliError(kind, EXIT.failed, message, details)
}

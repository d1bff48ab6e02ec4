/** The error of a command: its exit code, message and hint. */

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface FailureDetails {
  /** How to fix it. */
  hint?: string
  /** Details for programs. */
  data?: unknown
  cause?: unknown
}

export class CliError extends Error {
  override readonly name: string = 'CliError'
  /** A stable name. The kind of the error catalogue, if it has one. */
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

/** The command line is wrong. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', EXIT.usage, message, hint === undefined ? {} : { hint })
}

/** The command line is right, but the command failed. */
export function failed(kind: string, message: string, details?: FailureDetails): CliError {
  return new CliError(kind, EXIT.failed, message, details)
}

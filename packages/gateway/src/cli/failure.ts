/** How a command ends badly: exit code, and one message for people or for programs. */
import { ParleyError, ToolError } from 'parley-mcp'
import type { CliIo } from './io.ts'
import { paint } from './paint.ts'
import { harmless } from './text.ts'

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

/** As it is printed with `--json`. */
export interface FailureReport {
  readonly kind: string
  readonly message: string
  readonly hint?: string
  readonly data?: unknown
}

export function reportOf(error: unknown): FailureReport {
  if (error instanceof CliError) {
    return {
      kind: error.kind,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.data === undefined ? {} : { data: error.data }),
    }
  }
  if (error instanceof ParleyError) return { kind: error.kind, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
  if (error instanceof ToolError) return { kind: 'tool_error', message: error.message, ...(error.structured === undefined ? {} : { data: error.structured }) }
  const { name, message, problems } = error as Partial<Error> & { problems?: unknown }
  if (name === 'ConfigError') return { kind: 'invalid_config', message: String(message), ...(problems === undefined ? {} : { data: { problems } }) }
  return { kind: 'internal_error', message: error instanceof Error ? error.message : String(error) }
}

/** Prints what went wrong and gives the exit code. */
export function tell(error: unknown, io: CliIo, json: boolean): ExitCode {
  const report = reportOf(error)
  const { red, dim } = paint(io.stderr, io.env)
  if (json) io.stderr.write(`${JSON.stringify({ error: report })}\n`)
  else io.stderr.write(`${red('error:')} ${harmless(report.message)}\n${report.hint === undefined ? '' : `${dim('hint:')} ${harmless(report.hint)}\n`}`)
  return error instanceof CliError ? error.exitCode : EXIT.failed
}

/** Prints a failure: one message, for people or for programs. */
import { ParleyError, ToolError } from 'parley-mcp'
import { CliError, EXIT, type ExitCode } from './failure.ts'
import { coloursFor } from './terminal/colours.ts'
import type { CliIo } from './terminal/io.ts'
import { printable } from './terminal/text.ts'

/** As it is printed with `--json`. */
export interface FailureReport {
  readonly kind: string
  readonly message: string
  readonly hint?: string
  readonly data?: unknown
}

export function failureReport(error: unknown): FailureReport {
  if (error instanceof CliError) {
    return {
      kind: error.kind,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.data === undefined ? {} : { data: error.data }),
    }
  }
  if (error instanceof ParleyError)
    return { kind: error.kind, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
  if (error instanceof ToolError)
    return {
      kind: 'tool_error',
      message: error.message,
      ...(error.structured === undefined ? {} : { data: error.structured }),
    }
  const { name, message, problems } = error as Partial<Error> & { problems?: unknown }
  if (name === 'ConfigError')
    return {
      kind: 'invalid_config',
      message: String(message),
      ...(problems === undefined ? {} : { data: { problems } }),
    }
  return { kind: 'internal_error', message: error instanceof Error ? error.message : String(error) }
}

/** Prints the failure and returns the exit code. */
export function printFailure(error: unknown, io: CliIo, json: boolean): ExitCode {
  const report = failureReport(error)
  const { red, dim } = coloursFor(io.stderr, io.env)
  if (json) io.stderr.write(`${JSON.stringify({ error: report })}\n`)
  else
    io.stderr.write(
      `${red('error:')} ${printable(report.message)}\n${report.hint === undefined ? '' : `${dim('hint:')} ${printable(report.hint)}\n`}`,
    )
  return error instanceof CliError ? error.exitCode : EXIT.failed
}

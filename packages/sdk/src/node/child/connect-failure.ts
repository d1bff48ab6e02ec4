/** Adds to a failed handshake with a child process what the output of the process shows. */
import { ParleyError } from '../../errors/index.ts'
import type { ChildLink } from './link.ts'
import { QUOTED_LINES, quoted, unquoted } from './stderr-tail.ts'

export function withChildOutput(error: unknown, child: ChildLink | undefined): unknown {
  if (!(error instanceof ParleyError) || child === undefined) return error
  const symptoms = child.symptoms()
  const stderrText =
    error.kind === 'initialization_timeout' ? quoted(child.stderr().split('\n').slice(-QUOTED_LINES).join('\n')) : ''
  const cause = withoutStderr(error)
  if (symptoms === undefined && stderrText === '' && cause === error.cause) return error
  return new ParleyError(error.kind, {
    message: `${error.message}${symptoms === undefined ? '' : `; ${symptoms}`}${stderrText}`,
    cause,
    ...(error.data === undefined ? {} : { data: error.data }),
    ...(error.receivedCode === undefined ? {} : { code: error.receivedCode }),
  })
}

/** The messages of the error and of its cause are printed together, so the cause need not repeat the text. */
function withoutStderr({ message, cause }: ParleyError): unknown {
  if (!(cause instanceof ParleyError) || !message.includes(cause.message)) return cause
  const short = unquoted(cause.message)
  return short === cause.message
    ? cause
    : new ParleyError(cause.kind, {
        message: short,
        cause: cause.cause,
        ...(cause.data === undefined ? {} : { data: cause.data }),
      })
}

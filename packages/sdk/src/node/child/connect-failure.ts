/** Why there was no handshake with a process of ours: what the session knows, and what only the process shows. */
import { ParleyError } from '../../errors/index.ts'
import type { ChildLink } from './link.ts'
import { QUOTED_LINES, quoted, unquoted } from './stderr-tail.ts'

export function explained(error: unknown, child: ChildLink | undefined): unknown {
  if (!(error instanceof ParleyError) || child === undefined) return error
  const symptoms = child.symptoms()
  const words =
    error.kind === 'initialization_timeout' ? quoted(child.stderr().split('\n').slice(-QUOTED_LINES).join('\n')) : ''
  const cause = withoutWords(error)
  if (symptoms === undefined && words === '' && cause === error.cause) return error
  return new ParleyError(error.kind, {
    message: `${error.message}${symptoms === undefined ? '' : `; ${symptoms}`}${words}`,
    cause,
    ...(error.data === undefined ? {} : { data: error.data }),
    ...(error.receivedCode === undefined ? {} : { code: error.receivedCode }),
  })
}

/** Both messages are printed, one below the other, and a stack is long enough once. */
function withoutWords({ message, cause }: ParleyError): unknown {
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

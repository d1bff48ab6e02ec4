/** The errors for clients that cannot have a conversation with a server. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { ServerConfig } from '../config/index.ts'

export function unavailable(name: string, why: string, kind: ErrorKind = 'refusal_unavailable'): ParleyError {
  return new ParleyError(kind, { message: `Server "${name}" ${why}`, data: { server: name } })
}

export function tooManySessions({ name, maxSessions }: ServerConfig): ParleyError {
  return new ParleyError('too_many_requests', {
    message: `Server "${name}" has ${maxSessions} sessions already, and all are in use: try again later, or raise maxSessions`,
    data: { server: name },
  })
}

/** Names the setting in the error for a result that is too large. Returns other errors unchanged. */
export function namingSize(
  error: unknown,
  { name, maxMessageSize }: Pick<ServerConfig, 'name' | 'maxMessageSize'>,
): unknown {
  if (!(error instanceof ParleyError) || error.kind !== 'result_too_large' || error.receivedCode !== undefined)
    return error
  const message = `The answer of server "${name}" is longer than ${shownSize(maxMessageSize)}: raise "maxMessageSize" of this server, or of the gateway`
  return new ParleyError('result_too_large', { message, data: { server: name, maxMessageSize }, cause: error })
}

const MIB = 1024 * 1024

function shownSize(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`
}

/** Answers a question of a server when the client does not. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'

/** Errors that mean that the client will not answer. The server gets other errors as they are. */
const CLIENT_GONE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'request_timeout',
  'request_cancelled',
  'connection_closed',
  'session_closed',
  'session_lost',
  'peer_unresponsive',
  'transport_error',
  'shutting_down',
  'not_initialized',
])

/** The answer for a client that is gone. It makes no decision for the user. */
export function unanswered(method: string, error: unknown): Body {
  if (error instanceof ParleyError && (error.receivedCode !== undefined || !CLIENT_GONE.has(error.kind))) throw error
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'sampling/createMessage')
    throw new ParleyError('user_rejected', { message: 'User rejected sampling request', cause: error })
  throw new ParleyError('internal_error', { message: `The client did not answer ${method}`, cause: error })
}

/** What a server is told when a client does not answer its question. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'

/**
 * What a question fails with when the client will not answer it any more. Anything else is a reason the server has to
 * know.
 */
const GONE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
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

/**
 * What a client of the handshake era said when it is gone, or one of the stateless era when it never came back: no
 * decision is made up for it.
 */
export function unanswered(method: string, error: unknown): Body {
  if (error instanceof ParleyError && (error.receivedCode !== undefined || !GONE.has(error.kind))) throw error
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'sampling/createMessage')
    throw new ParleyError('user_rejected', { message: 'User rejected sampling request', cause: error })
  throw new ParleyError('internal_error', { message: `The client did not answer ${method}`, cause: error })
}

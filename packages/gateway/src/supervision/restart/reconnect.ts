/** How clients behind a supervisor reconnect. The supervisor's gate sets the pace, so clients retry early and often. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { ReconnectOptions } from 'parley-mcp/client'
import { isFinal, isUnavailable } from '../failures.ts'

/** After these errors a retry does not help. It may even lock an account. */
const NEVER_RETRIED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['unauthorized', 'forbidden'])

export const upstreamReconnect: ReconnectOptions = {
  retries: Number.POSITIVE_INFINITY,
  delays: [50, 1000, 2000, 5000],
  judge: (error) => {
    if (isFinal(error) || (error instanceof ParleyError && NEVER_RETRIED.has(error.kind))) return 'stop'
    return isUnavailable(error) ? 'tell' : 'again'
  },
}

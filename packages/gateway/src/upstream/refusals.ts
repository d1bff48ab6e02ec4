/** What is said to those who cannot have a conversation with a server. */
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

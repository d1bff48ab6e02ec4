/** The owner of a conversation with a server. */
import type { Inbound } from 'parley-mcp/engine'

export type Ownership =
  /** The gateway itself. `isUsers`: calls that need no abilities of their client use it as well. */
  | { readonly kind: 'gateway'; readonly isUsers: boolean }
  /** One client that shook hands, or one connection. */
  | { readonly kind: 'session'; readonly session: string | undefined }
  | { readonly kind: 'local-user' }
  | { readonly kind: 'principal'; readonly principal: string }
  | { readonly kind: 'shared' }
  | { readonly kind: 'request' }
  | { readonly kind: 'handle' }

export const OF_ALL_CLIENTS: Ownership = { kind: 'shared' }
export const OF_ONE_REQUEST: Ownership = { kind: 'request' }
export const BY_HANDLE: Ownership = { kind: 'handle' }

/** The user that makes a request. The id of a connection is a secret, so a connection has no principal here. */
export function ofUser({ principal, session }: Inbound): Ownership {
  if (principal === undefined) return { kind: 'local-user' }
  return principal === session.id ? { kind: 'session', session: undefined } : { kind: 'principal', principal }
}

/** The owner, for the log. */
export function ownershipText(ownership: Ownership): string {
  switch (ownership.kind) {
    case 'gateway':
      return ownership.isUsers
        ? 'the gateway has it, and so have clients without a session that declare no abilities'
        : 'the gateway has it for itself'
    case 'session':
      return ownership.session === undefined
        ? 'one connection of a client has it for itself'
        : `session ${ownership.session} has it for itself`
    case 'local-user':
      return 'the local user has it: all clients without a session on this machine'
    case 'principal':
      return `the principal ${quoted(ownership.principal)} has it`
    case 'shared':
      return 'all clients share it'
    case 'request':
      return 'one request has it, and it ends with the request'
    case 'handle':
      return 'the client that has its handle has it'
  }
}

/** A name that a client or server has chosen: it may be of any length, with any characters. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
}

/** The state of the gateway and its servers, for monitors. */

/**
 * The owner of a server session: `session` (one client session), `local-user`, `principal`, `shared` (all clients),
 * `request` (one request), `handle`. `none`: the server keeps nothing between requests.
 */
export type ConversationSharing = 'session' | 'local-user' | 'principal' | 'shared' | 'request' | 'handle' | 'none'

/** The session that a client gets with a server. */
export interface Conversations {
  /** For a client with a handshake. */
  readonly withSession: ConversationSharing
  /** For a client of 2026-07-28. */
  readonly withoutSession: ConversationSharing
}

export interface ServerState {
  readonly name: string
  /** One word: `running`, `starting`, `stopped`, `failed`… */
  readonly state: string
  /** Whether the server answers requests, or will when it has started. */
  readonly ready: boolean
  /** Whether the gateway needs the server to be ready. Default: no. */
  readonly required?: boolean
  /** Why the server is not ready, in one line. */
  readonly detail?: string
  /** Undefined before the first connection. */
  readonly conversations?: Conversations
}

export interface Readiness {
  readonly ready: boolean
  readonly servers: readonly ServerState[]
}

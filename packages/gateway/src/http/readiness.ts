/** What the gateway says of itself and its servers to those that watch over it. */

/**
 * Whose a conversation with a server is: `session` of the client alone, `local-user`, `principal`, `shared` by all
 * clients, for one `request`, by its `handle`; `none` where the server keeps nothing between requests.
 */
export type ConversationOwner = 'session' | 'local-user' | 'principal' | 'shared' | 'request' | 'handle' | 'none'

/** Which conversation a client gets with a server. */
export interface Conversations {
  /** A client that shook hands. */
  readonly withSession: ConversationOwner
  /** A client of 2026-07-28. */
  readonly withoutSession: ConversationOwner
}

export interface ServerState {
  readonly name: string
  /** One word: `running`, `starting`, `stopped`, `failed`… */
  readonly state: string
  /** Whether requests to it are answered, or wait no longer than its start takes. */
  readonly ready: boolean
  /** Whether the gateway is not ready without it; absent: no. */
  readonly required?: boolean
  /** Why it is not, in one line. */
  readonly detail?: string
  /** Absent before it was ever reached. */
  readonly conversations?: Conversations
}

export interface Readiness {
  readonly ready: boolean
  readonly servers: readonly ServerState[]
}

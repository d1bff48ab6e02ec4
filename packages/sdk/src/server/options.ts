/** What a server is called, and its settings. */
import type { Icon } from '../protocol/index.ts'
import type { MemoryLimits, SessionOptions, TaskOptions } from '../session/index.ts'
import type { CacheOptions } from './cache-hints.ts'
import type { Offer } from './capabilities.ts'
import type { OnError } from './failure.ts'
import type { ShownErrors } from './tools/failure.ts'

export interface ServerInfo {
  name: string
  version: string
  title?: string
  description?: string
  icons?: readonly Icon[]
  websiteUrl?: string
  /** How to use this server, for the client's model. */
  instructions?: string
}

/** Settings of all sessions of a server; each can be set otherwise when a link is accepted. */
export type SessionDefaults = Omit<
  Partial<SessionOptions>,
  'role' | 'link' | 'endpoint' | 'id' | 'principal' | 'budgets'
>

export interface ServerOptions extends SessionDefaults {
  /** Most items in one page of a list. Default 100. */
  pageSize?: number
  /** Whether log messages are sent at all. Default true. */
  logging?: boolean
  /** Kinds that are offered even while nothing of them is defined: for servers that add definitions while they run. */
  offers?: readonly Offer[]
  /** Capabilities outside the specification, by name. */
  experimental?: Readonly<Record<string, Record<string, unknown>>>
  /** Extensions of the specification, by name. */
  extensions?: Readonly<Record<string, Record<string, unknown>>>
  /**
   * Most resources one session may subscribe to, or one listener name; all listeners together 100 times as many.
   * Default 1000.
   */
  maxSubscriptions?: number
  /** How many bytes may be kept because of clients: waiting calls, subscriptions, listeners, tasks. */
  memory?: MemoryLimits
  /** Limits and the store of tasks, for tools that run as such. */
  tasks?: TaskOptions
  /** How long and for which clients lists, resources and the introduction may be cached. Default: no caching. */
  cache?: CacheOptions
  /**
   * For many processes behind one address, where the answer to a question may reach another one: since 2026-07-28
   * handlers that ask are then not suspended but run again with each answer. What was answered so far travels with the
   * client, sealed; give all processes the same `asking.key`. Default false.
   */
  stateless?: boolean
  /**
   * Whose words the caller of a tool reads when its handler throws. Default `own`: those of the author, and a general
   * text with a reference for errors that the language or the runtime makes. `all` shows every message (for
   * development), `none` only those of `ToolError`.
   */
  showErrors?: ShownErrors
  /**
   * Told of what handlers throw, apart from `ToolError`, and of everything else that is kept from the peer. Default:
   * the console.
   */
  onError?: OnError
}

export function sessionDefaults(options: ServerOptions): SessionDefaults {
  const {
    pageSize,
    logging,
    offers,
    experimental,
    extensions,
    maxSubscriptions,
    memory,
    tasks,
    cache,
    stateless,
    showErrors,
    onError,
    ...rest
  } = options
  return rest
}

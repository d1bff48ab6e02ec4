/** A configuration as the gateway uses it, with all variables and defaults filled in. */
import type { ProtocolVersion } from 'parley-mcp'

export type RestartPolicy = 'permanent' | 'transient' | 'temporary'
/** Which session with the server a client without its own session gets. See docs/gateway.md. */
export type SessionPolicy = 'shared' | 'principal' | 'request' | 'handle'
export type RemoteTransport = 'streamable-http' | 'sse' | 'websocket' | 'tcp'
/** How a client of 2025-11-25 learns that its user has to open a link. */
export type UrlMode = 'ask' | 'error'
export type PinMode = 'off' | 'report' | 'block'

export interface CommandTarget {
  readonly kind: 'command'
  readonly command: string
  readonly args: readonly string[]
  /** In addition to the variables that every child inherits. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

export interface RemoteTarget {
  readonly kind: 'remote'
  readonly url: string
  /** Undefined: the gateway asks the server. */
  readonly transport: RemoteTransport | undefined
  readonly headers: Readonly<Record<string, string>>
}

export interface RestartSettings {
  readonly policy: RestartPolicy
  /** After more restarts within `within` milliseconds, the gateway gives the server up for a while. */
  readonly maxRestarts: number
  readonly within: number
}

/** So many requests at once, and as many again spread over each `per` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly per: number
}

/** Limits of the bytes that the gateway keeps for clients. */
export interface MemorySettings {
  readonly session: number
  readonly principal: number
  /** Undefined: a part of the heap. */
  readonly total: number | undefined
}

export interface ToolSettings {
  /** Names or patterns with `*`. Undefined: all. */
  readonly allow: readonly string[] | undefined
  readonly deny: readonly string[]
  /** Name at the server → name for clients. */
  readonly rename: Readonly<Record<string, string>>
  readonly pin: PinMode
}

/** Times in milliseconds. */
export interface ServerConfig {
  readonly name: string
  readonly target: CommandTarget | RemoteTarget
  /** Versions to speak with it. Undefined: all. */
  readonly versions: readonly ProtocolVersion[] | undefined
  readonly dialect: 'erlmcp' | undefined
  /** Undefined: depends on the client. See docs/gateway.md. */
  readonly session: SessionPolicy | undefined
  readonly urlMode: UrlMode
  readonly restart: RestartSettings
  /** Whether the first client that needs the server starts it. */
  readonly lazy: boolean
  /** Stops the server after so long without use. Undefined: never. */
  readonly idleStop: number | undefined
  readonly timeout: number
  readonly initialiseTimeout: number
  /** Limits of the requests that run at once, and of those that wait. */
  readonly maxConcurrent: number
  readonly maxQueued: number
  /** Limit of conversations with it at once, without that of the gateway itself. */
  readonly maxSessions: number
  /** Limit of repeats of one request that the server answers with questions. */
  readonly maxRounds: number
  /** Longest message that is read from it, in bytes. */
  readonly maxMessageSize: number
  /** Limit of the requests of all clients together. Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined
  readonly tools: ToolSettings
  /** Whether lists and resources are cached for as long as the server allows. */
  readonly cache: boolean
  /** How often lists are compared if the server cannot report changes. */
  readonly poll: number
}

export interface GatewaySettings {
  readonly port: number
  readonly host: string
  readonly store: string
  readonly allowedHosts: readonly string[] | undefined
  readonly allowedOrigins: readonly string[] | undefined
  /** Additional host names for `/metrics`. */
  readonly metricsHosts: readonly string[]
  /** The header in which a proxy names the principal. */
  readonly principalHeader: string | undefined
  /** How long a session over HTTP may be unused before it ends, in milliseconds. */
  readonly sessionIdle: number
  /** Longest message from a server without a limit of its own, and from a client, in bytes. */
  readonly maxMessageSize: number
  readonly maxRequestSize: number
  /** Limit of the requests of one client. Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined
  /** Undefined: the defaults. */
  readonly memory: MemorySettings | undefined
  /** Names of servers without which the gateway is not ready. */
  readonly requiredServers: readonly string[]
  readonly log: 'debug' | 'info' | 'warning' | 'error' | 'silent'
  readonly translation: 'lenient' | 'strict'
  /** The file of pinned tool definitions. Undefined: beside the configuration, or in memory without one. */
  readonly pins: string | undefined
  /** The file of receipts. Undefined: no receipts. */
  readonly audit: string | undefined
  /** The folder of crash reports, or `off`. Undefined: a folder beside the configuration. */
  readonly crashReports: string | undefined
}

export interface GatewayConfig {
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>
  readonly gateway: GatewaySettings
}

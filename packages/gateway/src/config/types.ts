/** A configuration as the gateway uses it: read, expanded, checked, with every default filled in. */
import type { ProtocolVersion } from 'parley-mcp'

export type RestartPolicy = 'permanent' | 'transient' | 'temporary'
/** Whose upstream session a client without a session of its own is given (8.2). */
export type SessionPolicy = 'shared' | 'principal' | 'request' | 'handle'
export type RemoteTransport = 'streamable-http' | 'sse' | 'websocket' | 'tcp'
/** How a client of 2025-11-25 learns that its user has to open a link (8.3). */
export type UrlMode = 'ask' | 'error'
export type PinMode = 'off' | 'report' | 'block'

export interface CommandTarget {
  readonly kind: 'command'
  readonly command: string
  readonly args: readonly string[]
  /** On top of what every child inherits. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

export interface RemoteTarget {
  readonly kind: 'remote'
  readonly url: string
  /** Absent: found out by asking. */
  readonly transport: RemoteTransport | undefined
  readonly headers: Readonly<Record<string, string>>
}

export interface RestartSettings {
  readonly policy: RestartPolicy
  /** More restarts than this within `within` milliseconds, and the upstream is given up for a while. */
  readonly maxRestarts: number
  readonly within: number
}

/** So many at once, and as many again spread over each time of `per` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly per: number
}

/** Most bytes that are kept because of clients. */
export interface MemorySettings {
  readonly session: number
  readonly principal: number
  /** Absent: a part of the heap. */
  readonly total: number | undefined
}

export interface ToolSettings {
  /** Names or patterns with `*`; absent: all. */
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
  /** Versions to speak with it; absent: all. */
  readonly versions: readonly ProtocolVersion[] | undefined
  readonly dialect: 'erlmcp' | undefined
  /** Absent: as the server and the client suggest. */
  readonly session: SessionPolicy | undefined
  readonly urlMode: UrlMode
  readonly restart: RestartSettings
  /** Started by the first client that needs it. */
  readonly lazy: boolean
  /** Stopped after so long without use; absent: never. */
  readonly idleStop: number | undefined
  readonly timeout: number
  readonly initialiseTimeout: number
  /** Most requests at once, and most that wait for their turn or for the server to start. */
  readonly maxConcurrent: number
  readonly maxQueued: number
  /** Most conversations with it at once, beside that of the gateway itself. */
  readonly maxSessions: number
  /** Most times that a request is made again because it was answered with questions (8.1). */
  readonly maxRounds: number
  /** Longest message that is read from it, in bytes. */
  readonly maxMessageSize: number
  /** Most requests it is sent by all clients together; absent: any number. */
  readonly rateLimit: RateLimit | undefined
  readonly tools: ToolSettings
  /** Whether lists and reads are kept as long as the server allows. */
  readonly cache: boolean
  /** How often lists are compared where a server cannot tell of changes. */
  readonly poll: number
}

export interface GatewaySettings {
  readonly port: number
  readonly host: string
  readonly store: string
  readonly allowedHosts: readonly string[] | undefined
  readonly allowedOrigins: readonly string[] | undefined
  /** Names by which `/metrics` is read beside those. */
  readonly metricsHosts: readonly string[]
  /** The header in which a proxy in front tells who the client is. */
  readonly principalHeader: string | undefined
  /** How long a client over HTTP may leave its session unused before it ends, in milliseconds. */
  readonly sessionIdle: number
  /** Longest message that is read from a server that says nothing else, and from a client, in bytes. */
  readonly maxMessageSize: number
  readonly maxRequestSize: number
  /** Most requests one client may make; absent: any number. */
  readonly rateLimit: RateLimit | undefined
  /** Most bytes that are kept because of clients; absent: the defaults. */
  readonly memory: MemorySettings | undefined
  /** Names of servers without which the gateway is not ready. */
  readonly requiredServers: readonly string[]
  readonly log: 'debug' | 'info' | 'warning' | 'error' | 'silent'
  readonly translation: 'lenient' | 'strict'
  /** Where pinned tool definitions are kept; absent: beside the configuration, or in memory without one. */
  readonly pins: string | undefined
  /** Where receipts of what clients asked are kept; absent: nowhere. */
  readonly audit: string | undefined
  /** Where reports of a crash are written, or `off`; absent: in a folder beside the configuration. */
  readonly crashReports: string | undefined
}

export interface GatewayConfig {
  /** In the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>
  readonly gateway: GatewaySettings
}

/** Settings of a connection, with their defaults. */
import type { MessageLimits } from '../jsonrpc/index.ts'
import type { Implementation, LogMessageParams } from '../protocol/index.ts'
import type {
  Clock,
  Duration,
  Identity,
  Mint,
  RequestOptions,
  Session,
  SessionEvent,
  SessionOptions,
  TaskOptions,
} from '../session/index.ts'
import type { DialectName, Profile, ProtocolVersion } from '../versions/index.ts'
import type { EraMemory } from './connection/era-memory.ts'
import type { ReconnectOptions } from './connection/reconnect.ts'
import type { RelayedEndpoint } from './questions/client-endpoint.ts'
import type { ElicitOption } from './questions/elicitation.ts'
import type { RootsOption } from './questions/roots.ts'
import type { SampleOption } from './questions/sampling.ts'

export interface ConnectOptions {
  /** The name and version of this client. Default `parley-client` with the version of this package. */
  info?: Implementation
  /** Speaks only this protocol version. Short for `versions: [version]`. */
  version?: ProtocolVersion
  /** The protocol versions this client may speak. It uses the newest one that the server speaks too. Default: all. */
  versions?: readonly ProtocolVersion[]
  /**
   * Tries the handshake first. If the server refuses it, the client tries versions without a handshake. Default: the
   * newest version that both sides speak.
   */
  prefer?: 'handshake'
  /** The dialect of the server. A dialect belongs to one version: `erlmcp` to 2025-11-25. Default: none. */
  dialect?: DialectName
  /** Answers questions of the server to the user. Setting it declares the capability. */
  elicit?: ElicitOption
  /** Answers requests of the server to the model. Setting it declares the capability. */
  sample?: SampleOption
  /**
   * Whether questions of the server may run as tasks, and within which limits. Default: no. By default the client also
   * follows calls that the server answers with a task. `false` tells the server not to do that.
   */
  tasks?: boolean | TaskOptions
  /** The folders where the server may work. Setting it declares the capability. */
  roots?: RootsOption
  /**
   * Answers requests of the server instead of `elicit`, `sample` and `roots`, and gives the client's name and
   * capabilities. For proxies.
   */
  endpoint?: RelayedEndpoint
  /**
   * Whether requests carry a handle, by which a Parley gateway recognises this client without a session. Default: yes,
   * unless `endpoint` is set.
   */
  sessionHandle?: boolean
  experimental?: Record<string, Record<string, unknown>>
  extensions?: Record<string, Record<string, unknown>>
  /** How long a request may wait for an answer or for progress. Default 60 s. */
  timeout?: Duration
  /** How long a request may take in total, whatever its progress. Default 10 min. */
  maxTimeout?: Duration
  /** How long the version negotiation may take. Default 10 s. */
  initialiseTimeout?: Duration
  /**
   * How long the client waits for an answer to its first probe before it also tries the handshake. Default 2 s, and at
   * most half of `initialiseTimeout`.
   */
  probeTimeout?: Duration
  /**
   * Remembers the era of each HTTP server by its address. Your own memory also gets the era of commands and functions,
   * with an empty address. Default: one memory for the whole process.
   */
  eras?: EraMemory
  /** Aborts connecting. It has no effect after that. */
  signal?: AbortSignal
  /** Pings a silent server every 30 s and waits 10 s for the answer. `false`: never. */
  keepAlive?: SessionOptions['keepAlive']
  /**
   * Whether and how the client reconnects. Default: yes for addresses, commands and functions, no for server values and
   * Links.
   */
  reconnect?: boolean | ReconnectOptions
  /** Whether answers are cached for as long as the server allows (`ttlMs`). Default true. */
  cache?: boolean
  maxPending?: number
  /** How often the server may answer one request with questions, in stateless versions. Default 32. */
  maxRounds?: number
  /** The highest request id. The client renews the connection before it is reached. Default 2^53 - 1. */
  maxRequestId?: number
  onLog?: (message: LogMessageParams) => void
  /** Gets errors that fail no request: handlers that threw, frames that could not be sent. Default: the console. */
  onError?: (error: unknown, info: { during: string }) => void
  onEvent?: (event: SessionEvent) => void
  /** Gets each session before its handshake: the first one, and one for each reconnect. */
  onSession?: (session: Session) => void
  profile?: Profile
  limits?: Partial<MessageLimits>
  clock?: Clock
  mint?: Mint
  /** Returns a number from 0 to 1. It spreads the reconnects of many clients. */
  random?: () => number
  tap?: SessionOptions['tap']
}

export interface CallOptions extends RequestOptions {
  /** Whether a failure that the tool reports is thrown as a `ToolError`. Default true. */
  throwOnError?: boolean
  /** Whether structured content is checked against the output schema, if it is known. Default true. */
  validate?: boolean
  /** Sent as `_meta`. */
  meta?: Record<string, unknown>
}

/** A constant, because some runtimes cannot read the manifest. A test compares it with the manifest. */
const PACKAGE_VERSION = '0.1.0'

export function identityFrom(options: ConnectOptions): Identity {
  return options.info ?? { name: 'parley-client', version: PACKAGE_VERSION }
}

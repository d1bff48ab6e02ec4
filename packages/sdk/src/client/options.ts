/** Settings of a connection, each with its default. */
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
import type { RelayedEndpoint } from './questions/client-endpoint.ts'
import type { ElicitOption } from './questions/elicitation.ts'
import type { EraMemory } from './connection/era-memory.ts'
import { packageVersion } from './package-version.ts'
import type { ReconnectOptions } from './connection/reconnect.ts'
import type { RootsOption } from './questions/roots.ts'
import type { SampleOption } from './questions/sampling.ts'

export interface ConnectOptions {
  /** Who connects. Default `parley-client` with the version of this package. */
  info?: Implementation
  /** Speak this protocol version and no other; short for `versions: [version]`. */
  version?: ProtocolVersion
  /**
   * Protocol versions this client is willing to speak; the newest that the server speaks as well is taken. Default:
   * all.
   */
  versions?: readonly ProtocolVersion[]
  /**
   * Tries the handshake before it is known whether the server speaks a version without one; a server that refuses it is
   * asked for the others. Default: the newest version that both sides speak.
   */
  prefer?: 'handshake'
  /** The server speaks a dialect, which goes with one version: `erlmcp` with 2025-11-25. Default: none. */
  dialect?: DialectName
  /** Asks the user on behalf of the server. Giving it declares the capability. */
  elicit?: ElicitOption
  /** Asks the model on behalf of the server. Giving it declares the capability. */
  sample?: SampleOption
  /**
   * Whether questions of the server may run as tasks, and within which limits. Default: no. With `false`, servers that
   * answer calls with tasks of their own accord are told not to, as well; otherwise such calls are followed to their
   * end.
   */
  tasks?: boolean | TaskOptions
  /** Where the server may work. Giving it declares the capability. */
  roots?: RootsOption
  /**
   * Answers the server in place of `elicit`, `sample` and `roots`, and says who this side is and what it declares: for
   * programs that stand between a server and somebody else.
   */
  endpoint?: RelayedEndpoint
  /**
   * Whether requests name one conversation at a Parley gateway that cannot know this client otherwise. Default: yes,
   * unless `endpoint` is given.
   */
  sessionHandle?: boolean
  experimental?: Record<string, Record<string, unknown>>
  extensions?: Record<string, Record<string, unknown>>
  /** How long a request may go without an answer or progress. Default 60 s. */
  timeout?: Duration
  /** Hard end of a request however much progress comes. Default 10 min. */
  maxTimeout?: Duration
  /** How long it may take until both sides have agreed on a version. Default 10 s. */
  initialiseTimeout?: Duration
  /**
   * How long a server that may be of either era is given to say so before the handshake is tried beside it. Default 2
   * s; never more than half of `initialiseTimeout`.
   */
  probeTimeout?: Duration
  /**
   * Remembers of which era the server at an HTTP address is; of commands and functions, whose address is empty, only a
   * memory of your own does. Default: one for the whole process.
   */
  eras?: EraMemory
  /** Aborting it gives up connecting; afterwards it means nothing. */
  signal?: AbortSignal
  /** Pings a silent server every 30 s and gives it 10 s to answer; `false` for never. */
  keepAlive?: SessionOptions['keepAlive']
  /**
   * Whether a lost connection is made again, and how. Default: yes for addresses, commands and functions; no for server
   * values and Links.
   */
  reconnect?: boolean | ReconnectOptions
  /**
   * Whether lists and resources are not asked for again while the server says that they are fresh (`ttlMs`). Default
   * true.
   */
  cache?: boolean
  maxPending?: number
  /** How often the server may answer one request with questions, in versions where it asks like that. Default 32. */
  maxRounds?: number
  /** Request ids run from 1 to this; the connection is renewed before they run out. Default 2^53 - 1. */
  maxRequestId?: number
  onLog?: (message: LogMessageParams) => void
  /**
   * Told what went wrong here and is not anybody's answer: handlers that threw, frames that could not be sent. Default:
   * the console.
   */
  onError?: (error: unknown, info: { during: string }) => void
  onEvent?: (event: SessionEvent) => void
  /** Shown every session before its handshake: the first, and one more for each reconnect. */
  onSession?: (session: Session) => void
  profile?: Profile
  limits?: Partial<MessageLimits>
  clock?: Clock
  mint?: Mint
  /** From 0 to 1; spreads the attempts of many clients to reconnect. */
  random?: () => number
  tap?: SessionOptions['tap']
}

export interface CallOptions extends RequestOptions {
  /** Whether a failure the tool reports is thrown as `ToolError`. Default true. */
  throwOnError?: boolean
  /** Whether structured content is checked against the tool's output schema when that is known. Default true. */
  validate?: boolean
  /** Sent as `_meta`. */
  meta?: Record<string, unknown>
}

export function identityFrom(options: ConnectOptions): Identity {
  return options.info ?? { name: 'parley-client', version: packageVersion }
}

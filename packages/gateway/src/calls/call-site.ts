/** The address and the server of a call: what the calls of one client share. */
import type { LogLevel } from 'parley-mcp'
import type { Answer, Answered, Bag, Body, EngineRequestOptions, Inbound, Serialised } from 'parley-mcp/engine'
import type { ClientLog, ClientSession, Conversation, Upstream } from '../upstream/index.ts'
import type { Call } from './call.ts'

/** At the address of all servers: replaces the names of one server with those that clients know. */
export interface Renaming {
  /** For a notification or a question. */
  told(method: string, params: Body): Body
  /** For a result. Returns the same object when it contains no other name. */
  result(method: string, result: Body): Body
}

/**
 * `relayed`: client and server have the same version of the stateless era. The server gets the client's own envelope.
 * `same`: both have the same version of the handshake era, and messages are not changed.
 */
export type RelayMode = 'relayed' | 'same' | 'translated'

/** The answer of the server. */
export interface Received {
  readonly body: Body
  /** The text of the server, if it can be passed on to the client. */
  readonly text: string | undefined
  /** Whether the gateway did not need to repair it. */
  readonly isUntouched: boolean
  readonly mode: RelayMode
}

/** Sends the request. Some calls take more than one request. */
export type Send = (params: Body, options: EngineRequestOptions) => Promise<Body>

/** `only`: replaces all parameters of the client. */
export type Changes = { readonly with: Body } | { readonly only: Body }

/** A list request whose answer may be known. */
export interface KnownText {
  readonly options: Pick<EngineRequestOptions, 'ifText' | 'onText'>
  /** Set when the server has sent the same text as before. */
  readonly known: Serialised | undefined
}

/** The turn of a call in a conversation whose calls go one after the other. */
export interface CallTurn {
  /** Lets other calls continue. The returned function resolves when this call has the turn again. */
  lend(): () => Promise<void>
  /** The work continues as another call. */
  handTo(call: Call): void
}

/** Runs calls as tasks. */
export interface TaskRunner {
  /** Calls a tool. */
  call(call: Call, next: (call: Call) => Answered): Answered
  /** Answers a request about tasks. */
  ask(call: Call, next: (call: Call) => Answered): Answered
}

/** One client at one address of the gateway. */
export interface ClientAddress {
  /** The name of the server, or `*` for all. */
  readonly name: string
  readonly client: ClientSession
  readonly clientLog: ClientLog
}

/** The server of a call at the address of all servers, and the call's names there. */
export interface Routed {
  readonly upstream: Upstream
  readonly changes: Body
}

/**
 * The address that the client sent a call to: one server, or all. `part`: a request of the gateway to one server, for a
 * list of all servers.
 */
export type CallOrigin =
  | { readonly kind: 'server'; readonly address: ClientAddress }
  | { readonly kind: 'all'; readonly address: AllServers }
  | { readonly kind: 'part'; readonly address: ClientAddress }

/** One client at the address of all servers. */
export interface AllServers extends ClientAddress {
  /** Throws when the request came through a gateway behind this one. */
  refuseLoop(inbound: Inbound): void
  /** Merges the lists of all servers, or the client's tasks at all of them. */
  list(inbound: Inbound): Promise<Answer>
  /** Answers requests about notifications. */
  follow(inbound: Inbound): Promise<Answer>
  readonly servers: Iterable<Upstream>
  /** Finds the server of a request. */
  find(inbound: Inbound): Promise<Routed>
  /** The client's link to that server. Opens the link first if necessary. */
  reach(routed: Routed, inbound: Inbound): Promise<{ readonly site: CallSite; readonly names: Renaming }>
  /** A server that is removed from the configuration stays until the returned function is called. */
  begin(upstream: Upstream): () => void
  /** Notes that the server runs a task with this id. */
  holdTask(taskId: string, upstream: Upstream): void
}

/** One client at one server: what its calls share. */
export interface CallSite {
  readonly upstream: Upstream
  readonly tasks: TaskRunner
  /** The calls that the server works on. Only for a client that shook hands. */
  readonly calls: Bag<Call>
  /** The earlier attempts of a client that gets an error for links (`urlMode: "error"`). */
  readonly demands?: { apply(call: Call, params: Body, options: EngineRequestOptions): void } | undefined
  /** Set when the server sends more log messages than this client asked for. */
  readonly leastLevel?: LogLevel | undefined
  /** The conversation of a client that shook hands. */
  ownConversation(call: Call): Conversation | Promise<Conversation>
  /** Answers requests about notifications. */
  follow(call: Call, conversation: Conversation): Promise<Answer>
}

/** How the request to the server differs from that of the client. */
export interface CallRouting {
  /** At the address of all servers. */
  readonly names?: Renaming | undefined
  /** The parameters that are different at the server. */
  readonly changes?: Changes | undefined
  /** Set when the server gets another method. */
  readonly method?: string | undefined
}

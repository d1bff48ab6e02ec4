/** The address and the server of a call: what the calls of one client share. */
import type { LogLevel } from 'parley-mcp'
import type { Answer, Bag, Body, Inbound, RequestOptions } from 'parley-mcp/engine'
import type { ClientGuard } from '../limits/index.ts'
import type { ClientLog, Conversation, Upstream } from '../upstream/index.ts'
import type { Call } from './call.ts'
import type { LinkDemands } from './stages/link-demands.ts'
import type { TaskRuns } from './tasks/run-tasks.ts'

/** At the address of all servers: replaces the names of one server with those that clients know. */
export interface Renaming {
  /** For a notification or a question. */
  told(method: string, params: Body): Body
  /** For a result. Returns the same object when it contains no other name. */
  result(method: string, result: Body): Body
}

/** The answer of the server. */
export interface Received {
  readonly body: Body
  /** The text of the server, if it can be passed on to the client. */
  readonly text: string | undefined
  /** Whether the gateway did not need to repair it. */
  readonly isUntouched: boolean
}

/** Sends the request; some calls take more than one request. */
export type Send = (params: Body, options: RequestOptions) => Promise<Body>

/** `only`: replaces all parameters of the client. */
export type Changes = { readonly with: Body } | { readonly only: Body }

/** One client at one address of the gateway. */
export interface ClientAddress {
  readonly clientLog: ClientLog
  /** Refuses requests beyond the rate limit of the client. */
  readonly limit?: ClientGuard | undefined
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
  | { readonly kind: 'part' }

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
  /** A server that is removed from the configuration stays until the work is over. */
  during<T>(upstream: Upstream, work: () => Promise<T>): Promise<T>
  /** Notes that the server runs a task with this id. */
  holdTask(taskId: string, upstream: Upstream): void
}

/** One client at one server: what its calls share. */
export interface CallSite {
  readonly upstream: Upstream
  readonly tasks: TaskRuns
  /** The calls that the server works on. Only for a client that shook hands. */
  readonly calls: Bag<Call>
  /** The earlier attempts of a client that gets an error for links (`urlMode: "error"`). */
  readonly demands?: LinkDemands | undefined
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

/** Where a call comes in, and where it is made: what the stages of a client's calls share. */
import type { LogLevel } from 'parley-mcp'
import type { Answer, Bag, Body, EngineRequestOptions, Inbound } from 'parley-mcp/engine'
import type { ClientLog, ClientSession, Conversation, Upstream } from '../upstream/index.ts'
import type { Call } from './call.ts'
import type { LinkDemands } from './stages/link-demands.ts'
import type { TaskRuns } from './tasks/run-tasks.ts'

/** Puts what one server says into the names that its clients know, at the address of all servers. */
export interface Renaming {
  /** A notification or a question. */
  told(method: string, params: Body): Body
  /** A result. The same object when nothing in it has another name. */
  result(method: string, result: Body): Body
}

/** What the server answered. */
export interface Received {
  readonly body: Body
  /** As the server wrote it, where that text may go on to the client. */
  readonly text: string | undefined
  /** False where the gateway had to repair it. */
  readonly isUntouched: boolean
}

/** Sends the request; some calls take more than one request. */
export type Send = (params: Body, options: EngineRequestOptions) => Promise<Body>

/** `only`: the server is sent nothing else that the client said. */
export type Changes = { readonly with: Body } | { readonly only: Body }

/** One client at one address of the gateway. */
export interface ClientAddress {
  /** The name of the server, or `*` for all. */
  readonly name: string
  readonly client: ClientSession
  readonly clientLog: ClientLog
}

/** The server of a call at the address of all servers, and what the call's names are there. */
export interface Routed {
  readonly upstream: Upstream
  readonly changes: Body
}

/** Where the client sent a call: to one server, or to all. A part is what the gateway asks one server for all of them. */
export type CallOrigin =
  | { readonly kind: 'server'; readonly address: ClientAddress }
  | { readonly kind: 'all'; readonly address: AllServers }
  | { readonly kind: 'part'; readonly address: ClientAddress }

/** One client at the address of all servers. */
export interface AllServers extends ClientAddress {
  /** Throws where the request came through a gateway that stands behind this one. */
  refuseLoop(inbound: Inbound): void
  /** The lists of all servers as one, and the tasks of the client at all of them. */
  list(inbound: Inbound): Promise<Answer>
  /** Answers what the client wants to hear of. */
  follow(inbound: Inbound): Promise<Answer>
  readonly servers: Iterable<Upstream>
  /** Which server a request is for. */
  find(inbound: Inbound): Promise<Routed>
  /** The client's link to that server, opened where it was not. */
  reach(routed: Routed, inbound: Inbound): Promise<{ readonly site: CallSite; readonly names: Renaming }>
  /** A server that is removed while it works is kept until the work is over. */
  during<T>(upstream: Upstream, work: () => Promise<T>): Promise<T>
  /** The server runs a task under this id. */
  holdTask(taskId: string, upstream: Upstream): void
}

/** One client at one server: what the stages of its calls share. */
export interface CallSite {
  readonly upstream: Upstream
  readonly tasks: TaskRuns
  /** Of a client that shook hands: its calls that the server works on. */
  readonly calls: Bag<Call>
  /** Set for clients that are told of links with an error: what their earlier attempts left. */
  readonly demands?: LinkDemands | undefined
  /** Set where the server logs more than this client asked for. */
  readonly leastLevel?: LogLevel | undefined
  /** The conversation of a client that shook hands. */
  ownConversation(call: Call): Conversation | Promise<Conversation>
  /** Answers what the client wants to hear of. */
  follow(call: Call, conversation: Conversation): Promise<Answer>
}

/** How a call differs at the server from what the client asked for. */
export interface CallRouting {
  /** At the address of all servers. */
  readonly names?: Renaming | undefined
  /** What is called otherwise at the server. */
  readonly changes?: Changes | undefined
  /** The server is asked something else for what the client wants. */
  readonly method?: string | undefined
}

/** Where a call is made: one client at one server, and what the stages of its calls share. */
import type { LogLevel } from 'parley-mcp'
import type { Answer, Bag, Body, EngineRequestOptions } from 'parley-mcp/engine'
import type { Line, Upstream } from '../upstream/index.ts'
import type { Call } from './call.ts'
import type { LinkDemands } from './link-demands.ts'
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
  ownConversation(call: Call): Line | Promise<Line>
  /** Answers what the client wants to hear of. */
  follow(call: Call, conversation: Line): Promise<Answer>
}

export interface CallRouting {
  /** At the address of all servers. */
  readonly names?: Renaming | undefined
  /** What is called otherwise at the server. */
  readonly changes?: Changes | undefined
  /** The server is asked something else for what the client wants. */
  readonly method?: string | undefined
}

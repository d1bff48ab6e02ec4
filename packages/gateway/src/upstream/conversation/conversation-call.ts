/** A call as the conversation with its server sees it. */
import type { Bag, BagEntry, Body, Caller, Inbound } from 'parley-mcp/engine'
import type { AskedLink, LinkMemory } from './asked-links.ts'

export interface ConversationCall extends BagEntry {
  readonly caller: Caller
  /** Whether its request can be answered with questions. In the stateless era only some requests can. */
  readonly canBeAsked: boolean
  /** Whether it waits for its client, and not for the server. */
  readonly waits: boolean
  /** When that began. 0: it has never waited for its client. */
  readonly waitsSince: number
  readonly isOver: boolean
  /** The links that the client was asked to open during this call. */
  readonly links: LinkMemory
  /**
   * Ends the call with an error that names the link. Returns false for a client that is asked to open links instead.
   */
  demandLink(link: AskedLink, message: unknown): boolean
  /** Puts a question of the server to the client. */
  ask(question: Inbound, params?: Body): Promise<Body>
  /** Passes on a notification about this call. */
  tell(method: string, params: Body): void
  /** Notes that the server asks something. `url`: the link that the client is asked to open. */
  noteQuestion(url?: string): void
  /** Adds it to the calls that the server works on, unless it is in another such bag already. */
  join(calls: Bag<ConversationCall>): void
}

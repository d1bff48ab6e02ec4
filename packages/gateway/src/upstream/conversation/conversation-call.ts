/** A call as the conversation with its server sees it. */
import type { Bag, BagEntry, Body, Caller, Inbound } from 'parley-mcp/engine'
import type { AskedLink, LinkMemory } from './asked-links.ts'

export interface ConversationCall extends BagEntry {
  readonly caller: Caller
  /** In the stateless era, only some requests can be answered with questions. */
  readonly canBeAsked: boolean
  /** Whether it waits for its client, and not for the server. */
  readonly waits: boolean
  /** Since when; 0 where it never has. */
  readonly waitsSince: number
  readonly isOver: boolean
  /** Links the client was asked to open for this call. */
  readonly links: LinkMemory
  /** Set where links that the server asks for end the call. */
  readonly demanded: { readonly link: AskedLink; readonly message: unknown }[] | undefined
  /** Puts a question of the server to the client. */
  ask(question: Inbound, params?: Body): Promise<Body>
  /** Hands on what the server tells about this call. */
  tell(method: string, params: Body): void
  /** The server asks something; `url` when it wants a link opened. */
  noteQuestion(url?: string): void
  /** One of several that the server works on, unless it is one of others already. */
  join(beside: Bag<ConversationCall>): void
}

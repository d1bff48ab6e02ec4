/** Finds the conversation for a request without a session, when the server is of the handshake era. */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { HANDLE_KEY, type Inbound, systemMint } from 'parley-mcp/engine'
import type { ServerConfig, SessionPolicy } from '../../config/index.ts'
import { abilitiesOf, type ClientAbilities, NO_ABILITIES } from '../clients/client-abilities.ts'
import { holderOfRequest, UNKNOWN_CLIENT } from '../clients/client-session.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ListKind } from '../lists/list-kinds.ts'
import {
  handleIn,
  handleKey,
  isChosenByClient,
  isLocalPolicy,
  listsKey,
  principalKey,
  sharedKey,
} from './conversation-keys.ts'
import { KeptConversations, type KeptConversationsHost } from './kept-conversations.ts'
import { type Lease, leaseOf } from './lease.ts'
import { BY_HANDLE, OF_ALL_CLIENTS, ofUser } from './ownership.ts'
import { RequestConversations, type RequestConversationsHost } from './request-conversations.ts'
import { SessionChoice, type SessionChoiceHost } from './session-choice.ts'

/**
 * How long a conversation is kept whose handle has not come back yet, in milliseconds. Not every client knows handles,
 * so this is short.
 */
const MAX_IDLE_WITHOUT_HANDLE_MS = 60_000

interface ConversationPoolHost extends KeptConversationsHost, RequestConversationsHost, SessionChoiceHost {
  readonly config: ServerConfig
  readonly hasSingleClient: boolean
  readonly gatewayAbilities: ClientAbilities
  readyGatewayConversation(): Promise<Conversation>
}

export class ConversationPool {
  readonly #server: ConversationPoolHost
  readonly #kept: KeptConversations
  readonly #forRequests: RequestConversations
  readonly choice: SessionChoice

  constructor(server: ConversationPoolHost) {
    this.#server = server
    this.choice = new SessionChoice(server)
    this.#kept = new KeptConversations(server, (conversation) => this.choice.compareQuestions(conversation))
    this.#forRequests = new RequestConversations(server)
  }

  get busy(): boolean {
    return this.#kept.busy
  }

  /** How many conversations are kept for clients. */
  get size(): number {
    return this.#kept.size
  }

  lease(inbound: Inbound): Lease | Promise<Lease> {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    if (this.#mayUseGatewayConversation(inbound, abilities)) return this.#gatewayLease()
    return (
      this.#openedShared(abilities) ??
      this.#openedForLocalUser(inbound, abilities) ??
      this.#leaseFor(inbound, abilities)
    )
  }

  /**
   * Where all clients are one user, the gateway's own conversation serves those that declare the same abilities as the
   * gateway.
   */
  #mayUseGatewayConversation(inbound: Inbound, abilities: ClientAbilities): boolean {
    if (abilities.key !== this.#server.gatewayAbilities.key || !this.sharesGatewayConversation) return false
    return this.#server.hasSingleClient || this.choice.isLocalUser(inbound)
  }

  /** Whether the local user, or the only client, also uses the conversation of the gateway itself. */
  get sharesGatewayConversation(): boolean {
    const { hasSingleClient, hasLocalUser, config } = this.#server
    return hasSingleClient || (hasLocalUser && isLocalPolicy(config.session))
  }

  /** The conversation of the local user, if it is open. */
  #openedForLocalUser(inbound: Inbound, abilities: ClientAbilities): Lease | undefined {
    if (!isLocalPolicy(this.#server.config.session) || !this.choice.isLocalUser(inbound)) return undefined
    const kept = this.#kept.findOpen(principalKey(inbound, abilities))
    return kept && this.#kept.take(kept)
  }

  /** The shared conversation, if it is open and safe to share. With the policy `shared`, most requests end here. */
  #openedShared(abilities: ClientAbilities): Lease | undefined {
    if (this.#server.config.session !== 'shared') return undefined
    const kept = this.#kept.findOpen(sharedKey(abilities))
    const conversation = kept?.opened
    if (kept === undefined || conversation === undefined) return undefined
    this.choice.compareQuestions(conversation)
    return !abilities.isAskable || conversation.questions.nameCalls ? this.#kept.take(kept) : undefined
  }

  async #leaseFor(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    switch (await this.#policyFor(inbound, abilities)) {
      case 'shared':
        return this.#share(abilities)
      case 'principal':
        return this.#kept.open(principalKey(inbound, abilities), abilities, {
          ownership: ofUser(inbound),
          holder: holderOfRequest(inbound),
        })
      case 'handle':
        return this.#leaseByHandle(inbound, abilities)
      case 'request':
        this.choice.noteSingleUse(abilities)
        return this.#leaseForRequest(inbound, abilities)
    }
  }

  #gatewayLease(): Lease | Promise<Lease> {
    const { openedGatewayConversation } = this.#server
    return openedGatewayConversation?.ready
      ? leaseOf(openedGatewayConversation)
      : this.#server.readyGatewayConversation().then(leaseOf)
  }

  /** The client's kept conversation, or the one in which lists are read. Opens none for a single request. */
  async lend(inbound: Inbound): Promise<Lease | undefined> {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    const policy = await this.#policyFor(inbound, abilities)
    const hasNone = policy === 'request' || (policy === 'handle' && handleIn(inbound) === undefined)
    return hasNone ? this.#leaseForLists(abilities) : this.lease(inbound)
  }

  /**
   * A server may list other tools to clients that declare an extension. Clients that declare the same read lists in one
   * conversation. `undefined`: the client declares none, and reads lists in the gateway's own conversation.
   */
  #leaseForLists({ declaration }: ClientAbilities): Promise<Lease> | undefined {
    return declaration === NO_ABILITIES ? undefined : this.#shareUnder(listsKey(declaration), declaration)
  }

  /** The open conversation whose lists this client sees, if there is one. */
  keptFor(inbound: Inbound): Conversation | undefined {
    if (this.#kept.size === 0) return undefined
    for (const key of this.#ownKeys(inbound)) {
      const kept = this.#kept.findOpen(key)
      if (kept !== undefined) return kept.opened
    }
    return undefined
  }

  /** The keys of the conversations whose lists this client may see. */
  #ownKeys(inbound: Inbound): string[] {
    const abilities = abilitiesOf(inbound.caller.capabilities)
    const handle = handleIn(inbound)
    const keys = typeof handle === 'string' ? [handleKey(inbound, handle, abilities)] : []
    if (inbound.principal !== undefined || this.choice.isLocalUser(inbound)) keys.push(principalKey(inbound, abilities))
    if (abilities.declaration !== NO_ABILITIES) keys.push(listsKey(abilities))
    return keys
  }

  /** Reports list changes in the client's kept conversation, also when it begins later. */
  followKept(inbound: Inbound, changed: (kind: ListKind) => void): () => void {
    return this.#kept.follow(this.#ownKeys(inbound), changed)
  }

  /** The shared conversation for a client that shook hands. `undefined`: sharing is not configured, or not safe. */
  async share(capabilities: Capabilities): Promise<Lease | undefined> {
    if (this.#server.config.session !== 'shared') return undefined
    const abilities = abilitiesOf(capabilities)
    await this.#compareShared(abilities)
    if (await this.choice.mayShare(abilities)) return this.#share(abilities)
    this.choice.warnUnshared()
    return undefined
  }

  async #policyFor(inbound: Inbound, abilities: ClientAbilities): Promise<SessionPolicy> {
    await this.#compareShared(abilities)
    return this.choice.for(inbound, abilities)
  }

  /** The questions in the shared conversation show whether other clients may share one. */
  async #compareShared(abilities: ClientAbilities): Promise<void> {
    if (!abilities.isAskable) return
    const shared = await this.#kept.whenOpened(sharedKey(abilities))
    if (shared !== undefined) this.choice.compareQuestions(shared)
  }

  /** Ends a conversation that was opened ahead, if there is one. */
  endOneOpenedAhead(): Promise<void> | undefined {
    return this.#forRequests.endOne()
  }

  /** Ends the conversations that are not in use. */
  rest(): void {
    this.#kept.endIdle()
    this.#forRequests.endAll()
  }

  close(): void {
    this.#kept.close()
    this.#forRequests.close()
  }

  #share(abilities: ClientAbilities): Promise<Lease> {
    return this.#shareUnder(sharedKey(abilities), abilities)
  }

  async #shareUnder(key: string, abilities: ClientAbilities): Promise<Lease> {
    const lease = await this.#kept.open(key, abilities, { ownership: OF_ALL_CLIENTS, holder: UNKNOWN_CLIENT.holder })
    lease.conversation.markShared()
    return lease
  }

  async #leaseByHandle(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    const given = handleIn(inbound)
    if (given !== undefined && typeof given !== 'string')
      throw new ParleyError('invalid_params', { message: `_meta["${HANDLE_KEY}"] must be a string` })
    const whose = { ownership: BY_HANDLE, holder: holderOfRequest(inbound) }
    if (isChosenByClient(given)) return this.#kept.open(handleKey(inbound, given, abilities), abilities, whose)
    if (given !== undefined && !this.#kept.has(handleKey(inbound, given, abilities)))
      throw new ParleyError('invalid_params', {
        message: `_meta["${HANDLE_KEY}"] names no conversation, or one that has ended: leave it out to begin a new one`,
      })
    const handle = given ?? systemMint()
    const maxIdle = given === undefined ? MAX_IDLE_WITHOUT_HANDLE_MS : this.#server.conversationIdle
    return { ...(await this.#kept.open(handleKey(inbound, handle, abilities), abilities, whose, maxIdle)), handle }
  }

  async #leaseForRequest(inbound: Inbound, abilities: ClientAbilities): Promise<Lease> {
    const conversation = await this.#forRequests.take(inbound, abilities)
    return { conversation, handle: undefined, release: () => void conversation.close() }
  }
}

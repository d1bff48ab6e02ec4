/** Chooses whose conversation a request gets that has no session of its own, and says what is not done as configured. */
import type { Inbound } from 'parley-mcp/engine'
import type { SessionPolicy } from '../../config/index.ts'
import type { ClientAbilities } from '../clients/client-abilities.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Upstream } from '../upstream.ts'
import { handleIn, isChosenByClient } from './conversation-keys.ts'

/** An operator who has set one of these knows that the server forgets its clients, or is told something else. */
const UNTOLD: ReadonlySet<SessionPolicy | undefined> = new Set(['request', 'shared'])

export class SessionChoice {
  readonly #upstream: Upstream
  /** The server has asked something without saying on which call it works, though it could have. */
  #strays = false
  #saidUnshared = false
  /** Requests that had a session of their own; counted up to 2. */
  #singleUses = 0

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /** What the operator has set. Without a setting: the policy by which no client sees the state of another. */
  async for(inbound: Inbound, abilities: ClientAbilities): Promise<SessionPolicy> {
    const { session: chosen } = this.#upstream.config
    const isKnown = inbound.principal !== undefined || this.isLocalUser(inbound)
    // Beyond this machine, clients without a principal are not one and the same.
    if (chosen === 'principal' && !isKnown) return 'request'
    const asked = chosen ?? (isKnown ? 'principal' : await this.#forUnknown(inbound))
    if (asked !== 'shared' || (await this.mayShare(abilities))) return asked
    if (chosen === 'shared') this.sayUnshared()
    return isKnown ? 'principal' : ownOrNone(inbound)
  }

  async #forUnknown(inbound: Inbound): Promise<SessionPolicy> {
    await this.#upstream.gatewayConversation()
    return this.isSessionless ? 'shared' : ownOrNone(inbound)
  }

  /** Whether the request is one of the only user of this machine's gateway. */
  isLocalUser({ principal }: Inbound): boolean {
    return this.#upstream.hasLocalUser && principal === undefined
  }

  /**
   * A server that gave no session id and runs elsewhere remembers nothing of its clients; false while that is not known.
   */
  get isSessionless(): boolean {
    const session = this.#upstream.openedGatewayConversation?.client.session
    return session?.transport === 'http' && !session.remembered
  }

  /** Several clients cannot share a conversation where the server does not say on which call it asks. */
  async mayShare(abilities: ClientAbilities): Promise<boolean> {
    if (!abilities.isAskable) return true
    return !this.#strays && (await this.#upstream.gatewayConversation()).correlates
  }

  /** What one conversation has shown of the server holds for the others. */
  noteStrays(conversation: Conversation): void {
    this.#strays ||= conversation.strays
    conversation.strays = this.#strays
  }

  /** What the operator asked for is not done: said once. */
  sayUnshared(): void {
    if (this.#saidUnshared) return
    this.#saidUnshared = true
    const { name, log } = this.#upstream
    log.warning(
      `${name}: "session": "shared" is not followed for clients that can be asked something (elicitation, sampling, roots): the server does not say to which ` +
        'call a question belongs, so it could be put to the wrong client. Each of them has a session of its own, or one for each request. ' +
        'To keep one for each user, set "session": "principal" and "principalHeader"; a server that is reached over HTTP, and names the call with each question, can be shared',
      { server: name },
    )
  }

  /** A session for one request alone. From the second on, the server forgets something: said once. */
  noteSingleUse(abilities: ClientAbilities): void {
    const { name, log, config } = this.#upstream
    if (UNTOLD.has(config.session) || this.#singleUses === 2 || ++this.#singleUses < 2) return
    const remedy = abilities.isAskable
      ? '"session": "principal" with gateway.principalHeader keeps one for each user'
      : '"session": "shared" keeps one for all'
    log.info(
      `${name}: clients of 2026-07-28 get a session of their own for each request, and what the server remembers is lost between them; ${remedy}`,
      { server: name },
    )
  }
}

function ownOrNone(inbound: Inbound): SessionPolicy {
  return isChosenByClient(handleIn(inbound)) ? 'handle' : 'request'
}

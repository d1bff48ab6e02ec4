/** Chooses the session policy for a request without a session, and logs where the configured policy is not followed. */
import type { Inbound } from 'parley-mcp/engine'
import type { ServerConfig, SessionPolicy } from '../../config/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import type { ClientAbilities } from '../clients/client-abilities.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { handleIn, isChosenByClient } from './conversation-keys.ts'

/** Policies that an operator has chosen on purpose: a hint about lost state would not help. */
const NEEDS_NO_HINT: ReadonlySet<SessionPolicy | undefined> = new Set(['request', 'shared'])

export interface SessionChoiceHost {
  readonly name: string
  readonly log: GatewayLog
  readonly config: Pick<ServerConfig, 'session'>
  /** Whether requests without a principal are all of one user. */
  readonly hasLocalUser: boolean
  readonly openedGatewayConversation: Conversation | undefined
  gatewayConversation(): Promise<Conversation>
}

export class SessionChoice {
  readonly #server: SessionChoiceHost
  /** Whether a question of the server has named no call, though it could have. */
  #haveNamedNoCall = false
  #hasWarned = false
  /** How many requests had a session for themselves. Counts to 2. */
  #singleUses = 0

  constructor(server: SessionChoiceHost) {
    this.#server = server
  }

  /** The configured policy. Default: the policy with which no client sees the state of another. */
  async for(inbound: Inbound, abilities: ClientAbilities): Promise<SessionPolicy> {
    const { session: configured } = this.#server.config
    const isKnown = inbound.principal !== undefined || this.isLocalUser(inbound)
    // Remote clients without a principal are not one user.
    if (configured === 'principal' && !isKnown) return 'request'
    const policy = configured ?? (isKnown ? 'principal' : await this.#forUnknown(inbound))
    if (policy !== 'shared' || (await this.mayShare(abilities))) return policy
    if (configured === 'shared') this.warnUnshared()
    return isKnown ? 'principal' : ownOrNone(inbound)
  }

  async #forUnknown(inbound: Inbound): Promise<SessionPolicy> {
    await this.#server.gatewayConversation()
    return this.isSessionless ? 'shared' : ownOrNone(inbound)
  }

  /** Whether the local user of the gateway makes the request. */
  isLocalUser({ principal }: Inbound): boolean {
    return this.#server.hasLocalUser && principal === undefined
  }

  /**
   * Whether a remote server gave no session id. Such a server remembers nothing about its clients. False until the
   * gateway has connected.
   */
  get isSessionless(): boolean {
    const session = this.#server.openedGatewayConversation?.client.session
    return session?.transport === 'http' && !session.remembered
  }

  /** Clients that can be asked may share a conversation only when each question names its call. */
  async mayShare(abilities: ClientAbilities): Promise<boolean> {
    if (!abilities.isAskable) return true
    return !this.#haveNamedNoCall && (await this.#server.gatewayConversation()).questions.nameCalls
  }

  /** What the questions in one conversation have shown of the server holds for all its conversations. */
  compareQuestions({ questions }: Conversation): void {
    this.#haveNamedNoCall ||= questions.haveNamedNoCall
    if (this.#haveNamedNoCall) questions.noteNamedNoCall()
  }

  /** The configured policy is not followed. Warns once. */
  warnUnshared(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const { name, log } = this.#server
    log.warning(
      `${name}: "session": "shared" is not followed for clients that can be asked something (elicitation, sampling, roots): the server does not say to which ` +
        'call a question belongs, so it could be put to the wrong client. Each of them has a session of its own, or one for each request. ' +
        'To keep one for each user, set "session": "principal" and "principalHeader"; a server that is reached over HTTP, and names the call with each question, can be shared',
      { server: name },
    )
  }

  /** A request has a session for itself. Logs a hint once, at the second such request. */
  noteSingleUse(abilities: ClientAbilities): void {
    const { name, log, config } = this.#server
    if (NEEDS_NO_HINT.has(config.session) || this.#singleUses === 2 || ++this.#singleUses < 2) return
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

/**
 * Answers what a server asks in one conversation. The client of the call answers, or the client behind the
 * conversation. Without either, the gateway answers from what it knows.
 */
import { type ErrorKind, ParleyError, type ProtocolVersion } from 'parley-mcp'
import { Bag, type Body, type Inbound, systemMint } from 'parley-mcp/engine'
import { isLinkQuestion } from './asked-links.ts'
import type { ConversationCall } from './conversation-call.ts'
import { Mutex, type MutexOptions } from './mutex.ts'
import type { ConversationRoots } from './roots.ts'
import { methodGap } from './version-gap.ts'

/** The one client behind a conversation: it gets the questions and notifications that belong to no call. */
export interface ConversationOwner {
  /** The client's protocol version. */
  version(): ProtocolVersion | undefined
  /** Puts a question of the server to the client. */
  ask(question: Inbound): Promise<Body>
  tell(method: string, params: Body): void
}

/** The call that has the turn. It may change while it has it. */
export interface TurnHolder {
  readonly call: ConversationCall
}

interface AskedConversation {
  readonly owner: ConversationOwner | undefined
  readonly roots: ConversationRoots
  /** Whether several clients use it. */
  readonly shared: boolean
  readonly stateless: boolean
  readonly client: { readonly version: ProtocolVersion; readonly session: { readonly transport: string } }
  /** Whether the server was told of anything that it may ask. */
  readonly canAsk: boolean
}

export class ServerQuestions {
  /** The calls that the server works on and whose clients can be asked. Empty where the conversation has an owner. */
  readonly calls = new Bag<ConversationCall>()
  readonly #conversation: AskedConversation
  readonly #onDropped: (what: string) => void
  readonly #turns = new Mutex()
  #turnHolder: TurnHolder | undefined
  #haveNamedNoCall = false

  constructor(conversation: AskedConversation, onDropped: (what: string) => void) {
    this.#conversation = conversation
    this.#onDropped = onDropped
  }

  /** Whether a question has come that does not name its call, though questions over HTTP may. */
  get haveNamedNoCall(): boolean {
    return this.#haveNamedNoCall
  }

  /** Another conversation has shown that questions of this server do not name their call. */
  noteNamedNoCall(): void {
    this.#haveNamedNoCall = true
  }

  /** Whether a question names the call it belongs to. Over HTTP that holds until a question does not. */
  get nameCalls(): boolean {
    const { stateless, client } = this.#conversation
    return stateless || (client.session.transport === 'http' && !this.#haveNamedNoCall)
  }

  /** Whether calls must go one after the other, because the server may ask and its question would name no call. */
  get needTurns(): boolean {
    return this.#conversation.canAsk && !this.nameCalls
  }

  /** Whether a call has the turn. */
  get isTurnTaken(): boolean {
    return this.#turns.taken
  }

  /** Waits for the turn. Questions that name no call belong to the holder until the returned function is called. */
  async takeTurn(holder: TurnHolder, options: MutexOptions): Promise<() => void> {
    const end = await this.#turns.take(options)
    this.#turnHolder = holder
    return () => {
      this.#turnHolder = undefined
      end()
    }
  }

  /** How many of the calls wait for their clients. */
  get waitingCalls(): number {
    return this.calls.all().filter(({ waits }) => waits).length
  }

  /** When a client was last asked within one of the calls. */
  get askedAt(): number {
    return Math.max(0, ...this.calls.all().map(({ waitsSince }) => waitsSince))
  }

  async answer(question: Inbound): Promise<Body> {
    const { owner } = this.#conversation
    const call = this.#callOf(question)
    // Roots are the same for all calls of a client.
    if (this.#namedCall(question) === undefined && question.method !== 'roots/list') this.#haveNamedNoCall = true
    try {
      if (call !== undefined) return await this.#askWithin(call, question)
      if (owner !== undefined) return await owner.ask(question)
    } catch (error) {
      // In the stateless era the error ends the call, and the stage `settle` decides what the client gets.
      if (this.#conversation.stateless) throw error
      // The call ended before its client was asked. The client can be asked within its next call.
      if (question.method === 'roots/list' && owner === undefined && call?.isOver) return this.#answerAlone(question)
      return unanswered(question.method, error)
    }
    return this.#answerAlone(question)
  }

  /** X5: a refusal says so when the client's version does not have the question. */
  refusing(method: string, error: ParleyError): ParleyError {
    const version = this.#conversation.owner?.version()
    const gap = version === undefined ? '' : methodGap(version, method)
    return gap === ''
      ? error
      : new ParleyError(error.kind, { message: `${error.message}: ${gap}`, ...(error.data && { data: error.data }) })
  }

  /** The call that the question is about, if that is known and the call's client can be asked. */
  #callOf(question: Inbound): ConversationCall | undefined {
    const named = this.#namedCall(question)
    if (named?.canBeAsked) return named
    // A wrong guess among calls of one client stays with that client. With several clients it would reach another one.
    if (this.#conversation.shared) return undefined
    return this.#turnHolder?.call ?? this.#onlyWorkingCall()
  }

  /** Several clients: the only call that runs need not be the one that the question is about. */
  #namedCall({ owner, within }: Inbound): ConversationCall | undefined {
    return this.#conversation.shared && within !== true ? undefined : (owner as ConversationCall | undefined)
  }

  /** A question that names no call is most likely of the only call that does not wait for its client. */
  #onlyWorkingCall(): ConversationCall | undefined {
    const working = this.calls.all().filter(({ waits }) => !waits)
    return working.length === 1 ? working[0] : undefined
  }

  async #askWithin(call: ConversationCall, question: Inbound): Promise<Body> {
    const { method, params } = question
    if (method === 'roots/list') return this.#rootsFrom(call, question)
    const { stateless, client } = this.#conversation
    if (!stateless || !isLinkQuestion(method, params) || call.caller.version === client.version) {
      call.noteQuestion()
      return call.ask(question)
    }
    call.noteQuestion(params.url)
    return askToOpen(call, question, params.url)
  }

  async #rootsFrom(call: ConversationCall, question: Inbound): Promise<Body> {
    const { roots, shared } = this.#conversation
    const fresh = roots.takeFresh(question, call)
    if (fresh !== undefined) return fresh
    const answer = await call.ask(question)
    if (!shared) roots.learn(answer)
    return answer
  }

  /** No client can be asked. The gateway answers with what it knows, and makes no decision for a user. */
  #answerAlone(question: Inbound): Body {
    const { roots, shared } = this.#conversation
    if (question.method === 'roots/list') return roots.withoutClient(question, !shared)
    this.#onDropped(question.method)
    return unanswered(
      question.method,
      new ParleyError('request_cancelled', { message: `${question.method} came outside of any request of the client` }),
    )
  }
}

/**
 * A server of the stateless era cannot wait for its user: it asks for the same link until the user has opened it. The
 * user is asked once.
 */
async function askToOpen(call: ConversationCall, question: Inbound, url: string): Promise<Body> {
  const link = call.links.find(url) ?? call.links.remember(url, systemMint())
  if (call.demandLink(link, question.params['message'])) return { action: 'accept' }
  if (link.accepted) {
    const { pause } = link
    await waitFor(pause, question)
    link.noteRepeat(pause)
    return { action: 'accept' }
  }
  const answer = await call.ask(question, { ...question.params, elicitationId: link.elicitationId })
  link.accepted = answer['action'] === 'accept'
  return answer
}

function waitFor(ms: number, { session, signal }: Inbound): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.clock.after(ms, resolve)
    signal.addEventListener(
      'abort',
      () => {
        stop()
        resolve()
      },
      { once: true },
    )
  })
}

/** Errors that mean that the client will not answer. The server gets other errors as they are. */
const CLIENT_GONE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'request_timeout',
  'request_cancelled',
  'connection_closed',
  'session_closed',
  'session_lost',
  'peer_unresponsive',
  'transport_error',
  'shutting_down',
  'not_initialized',
])

/** The answer for a client that is gone. It makes no decision for the user. */
function unanswered(method: string, error: unknown): Body {
  if (error instanceof ParleyError && (error.receivedCode !== undefined || !CLIENT_GONE.has(error.kind))) throw error
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'sampling/createMessage')
    throw new ParleyError('user_rejected', { message: 'User rejected sampling request', cause: error })
  throw new ParleyError('internal_error', { message: `The client did not answer ${method}`, cause: error })
}

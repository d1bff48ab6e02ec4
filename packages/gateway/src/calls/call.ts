/** One request of a client on its way to a server and back: the value that the stages of the pipeline work on. */
import { eraOf, type LogLevel, type Loss, logLevels, type ParleyError } from 'parley-mcp'
import {
  askingMethods,
  type Bag,
  type Body,
  type Caller,
  type Duration,
  type EngineRequestOptions,
  type Inbound,
  type RequestId,
  type Retry,
  type Session,
} from 'parley-mcp/engine'
import type { Slot } from '../supervision/index.ts'
import type { AskedLink, Conversation, ConversationCall, LinkMemory } from '../upstream/index.ts'
import type {
  CallOrigin,
  CallRouting,
  CallSite,
  CallTurn,
  Changes,
  KnownText,
  Received,
  Renaming,
  Send,
} from './call-site.ts'
import { ClientQuestions } from './client-questions.ts'

const asking: ReadonlySet<string> = new Set(askingMethods)

export class Call implements Inbound, ConversationCall {
  readonly method: string
  /** The address that the client sent it to. */
  readonly from: CallOrigin
  /** At the address of all servers: set by the stage `route`. */
  site: CallSite
  /** The parameters for the server. A stage that changes them replaces the object. */
  params: Body
  /** Set by the stage `converse`. */
  conversation: Conversation | undefined
  /** Set by the stage `runTasks` when one request is not enough. */
  sendWith: Send | undefined
  /** Set by the stage `recallList`. */
  list: KnownText | undefined
  /** Set by the stage `send`. */
  received: Received | undefined
  /** Set by the stage `runTasks` when work continues after the answer. Resolves when the work is over. */
  lasting: Promise<unknown> | undefined
  bagIndex: number | undefined
  readonly #inbound: Inbound
  #routing: CallRouting
  #givenParams: Body
  #bag: Bag<ConversationCall> | undefined
  #continuesAfterAnswer = false
  #losses: Loss[] | undefined
  #questions: ClientQuestions | undefined
  #slot: Slot | undefined
  #turn: CallTurn | undefined
  #isOver = false

  constructor(inbound: Inbound, from: CallOrigin, site?: CallSite, routing: CallRouting = NO_ROUTING) {
    this.#inbound = inbound
    this.from = from
    this.site = site as CallSite
    this.#routing = routing
    this.method = routing.method ?? inbound.method
    this.params = routing.changes === undefined ? inbound.params : changed(inbound.params, routing.changes)
    this.#givenParams = this.params
  }

  /** The same request as a new call. */
  repeat(): Call {
    const repeated = new Call(this.#inbound, this.from, this.site, this.#routing)
    repeated.conversation = this.conversation
    return repeated
  }

  /** Sends it to this server, with the names that the server knows. */
  routeTo(site: CallSite, names: Renaming, changes: Body): Call {
    this.site = site
    this.#routing = { names, changes: { with: changes } }
    this.params = { ...this.params, ...changes }
    this.#givenParams = this.params
    return this
  }

  withParams(params: Body): Call {
    this.params = params
    return this
  }

  inConversation(conversation: Conversation): Call {
    this.conversation = conversation
    return this
  }

  /** In the conversation of its client, together with the client's other calls. */
  inOwnConversation(conversation: Conversation): Call {
    this.conversation = conversation
    this.#bag = this.site.calls as Bag<ConversationCall>
    return this
  }

  /** Whether the server is of the stateless era. */
  get isToStateless(): boolean {
    return this.conversation?.stateless === true
  }

  /** The same work as a task, which continues after the answer. */
  continuedAs(task: Inbound, params: Body): Call {
    const running = new Call(task, this.from, this.site, CONTINUED)
    running.params = params
    running.conversation = this.conversation
    this.#turn?.handTo(running)
    return running
  }

  // What the client sent

  get id(): RequestId {
    return this.#inbound.id
  }
  get session(): Session {
    return this.#inbound.session
  }
  get caller(): Caller {
    return this.#inbound.caller
  }
  get principal(): string | undefined {
    return this.#inbound.principal
  }
  get address(): string | undefined {
    return this.#inbound.address
  }
  get logLevel(): LogLevel | undefined {
    return this.#inbound.logLevel
  }
  get owner(): unknown {
    return this.#inbound.owner
  }
  get context(): Inbound['context'] {
    return this.#inbound.context
  }
  get onLoss(): Inbound['onLoss'] {
    return this.#inbound.onLoss
  }
  get signal(): AbortSignal {
    return this.#inbound.signal
  }
  get cancelled(): boolean {
    return this.#inbound.cancelled
  }
  /** The client's answers belong to the method that it called. */
  get retry(): Retry | undefined {
    return this.method === this.#inbound.method ? this.#inbound.retry : undefined
  }
  /** The parameters as the client wrote them, with the names that the server knows. */
  get sent(): Body {
    const { changes } = this.#routing
    return changes === undefined ? this.#inbound.sent : changed(this.#inbound.sent, changes)
  }

  /** Whether no stage has replaced the parameters. */
  get hasGivenParams(): boolean {
    return this.params === this.#givenParams
  }

  /** Whether the client knows the names and URIs of the server under other names. */
  get isRenamed(): boolean {
    return this.#routing.names !== undefined
  }

  /** Whether it is a task, which continues after the answer. */
  get isContinued(): boolean {
    return this.#routing === CONTINUED
  }

  /** Whether the answer is one server's part of a list of all servers. */
  get isPart(): boolean {
    return this.from.kind === 'part'
  }

  // What the client is sent

  progress(progress: number, total?: number, message?: string, more?: Body): void {
    const { names } = this.#routing
    this.#inbound.progress(progress, total, message, more && (names?.told('notifications/progress', more) ?? more))
  }

  notify(method: string, params?: Body): void {
    this.#inbound.notify(method, this.#renamedParams(method, params))
  }

  request(method: string, params?: Body, options?: EngineRequestOptions): Promise<Body> {
    return this.#inbound.request(method, this.#renamedParams(method, params), options)
  }

  release(retry?: Duration): void {
    this.#inbound.release(retry)
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    const { names } = this.#routing
    // The result of a task is renamed when the client asks for it.
    return this.#inbound.written(
      this.#continuesAfterAnswer ? result : (names?.result(this.method, result) ?? result),
      onLoss,
    )
  }

  /** The result with the names that the client knows. */
  renamed(result: Body): Body {
    return this.#routing.names?.result(this.method, result) ?? result
  }

  keep(cost: number, what: string): () => void {
    return this.#inbound.keep(cost, what)
  }

  afterAnswer(run: () => void): void {
    this.#continuesAfterAnswer = true
    this.#inbound.afterAnswer(run)
  }

  /** Whether the gateway continues to work after the answer. */
  get continuesAfterAnswer(): boolean {
    return this.#continuesAfterAnswer
  }

  #renamedParams(method: string, params: Body | undefined): Body | undefined {
    const { names } = this.#routing
    return params === undefined || names === undefined ? params : names.told(method, params)
  }

  /** What translation has lost so far. */
  get losses(): readonly Loss[] {
    return this.#losses ?? []
  }

  lose(loss: Loss): void {
    this.#losses ??= []
    this.#losses.push(loss)
    this.#inbound.onLoss?.(loss)
  }

  /**
   * Passes on a notification about this call. Clients that share a log level at the server get only the messages that
   * they asked for.
   */
  tell(method: string, params: Body): void {
    const leastLevel = this.isContinued ? undefined : this.site.leastLevel
    if (leastLevel === undefined || method !== 'notifications/message' || isAtLeast(params['level'], leastLevel))
      this.notify(method, params)
  }

  /** Whether its request can be answered with questions. In the stateless era only some requests can. */
  get canBeAsked(): boolean {
    return asking.has(this.method) || eraOf(this.caller.version) === 'handshake'
  }

  /** The server gets the answers to its questions before it learns that the call is cancelled. */
  onCancel(run: (reason: string) => void): () => void {
    return this.#inbound.onCancel((reason) => {
      if (this.#questions?.areOpen) this.session.clock.after(0, () => run(reason))
      else run(reason)
    })
  }

  /** Adds it to the calls that the server works on, unless it is in another such bag already. */
  join(calls: Bag<ConversationCall>): void {
    if (this.#bag !== undefined) return
    this.#bag = calls
    if (asking.has(this.method)) calls.add(this)
  }

  /** The server begins to work on it. */
  begin(slot: Slot): void {
    this.#slot = slot
    if (this.waits) slot.giveBack()
    if (asking.has(this.method)) this.#bag?.add(this)
  }

  get slot(): Slot | undefined {
    return this.#slot
  }

  /** Set in a conversation whose calls go one after the other. */
  get turn(): CallTurn | undefined {
    return this.#turn
  }

  holdTurn(turn: CallTurn): void {
    this.#turn = turn
  }

  // What the server asks the client. Most calls have no questions.

  /** `undefined`: the server has asked nothing yet. */
  get questions(): ClientQuestions | undefined {
    return this.#questions
  }

  ensureQuestions(): ClientQuestions {
    this.#questions ??= new ClientQuestions(this)
    return this.#questions
  }

  get waits(): boolean {
    return this.#questions?.waits === true
  }

  get waitsSince(): number {
    return this.#questions?.waitsSince ?? 0
  }

  get links(): LinkMemory {
    return this.ensureQuestions().links
  }

  ask(question: Inbound, params: Body = question.params): Promise<Body> {
    return this.ensureQuestions().ask(question, params)
  }

  /** Gives its slot to other calls until the returned function is called, once. */
  waitForClient(): () => void {
    return this.ensureQuestions().wait()
  }

  demandLink(link: AskedLink, message: unknown): boolean {
    return this.#questions?.demandLink(link, message) === true
  }

  noteQuestion(url?: string): void {
    this.#questions?.note(url)
  }

  objection(questions: Parameters<ClientQuestions['objection']>[0]): ParleyError | undefined {
    return this.ensureQuestions().objection(questions)
  }

  /** Whether it was answered or given up. */
  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    this.#bag?.delete(this)
    this.#questions?.end()
  }
}

const NO_ROUTING: CallRouting = {}
const CONTINUED: CallRouting = {}

/** The conversation of a call, for stages after `converse`. */
export function conversationOf({ conversation }: Call): Conversation {
  return conversation as Conversation
}

/** Runs `done` when the call is over. A call that runs as a task continues after its answer. */
export function whenOver({ lasting }: Call, done: () => void): void {
  if (lasting === undefined) done()
  else void lasting.finally(done)
}

function changed(params: Body, changes: Changes): Body {
  return 'only' in changes ? changes.only : { ...params, ...changes.with }
}

function isAtLeast(level: unknown, least: LogLevel): boolean {
  return (logLevels as readonly unknown[]).indexOf(level) >= logLevels.indexOf(least)
}

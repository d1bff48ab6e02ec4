/**
 * One request of a client on its way to a server and back: what the stages of the pipeline know of it, and where the
 * server's questions, progress and messages belong.
 */
import { eraOf, type LogLevel, type Loss, logLevels, ParleyError } from 'parley-mcp'
import {
  askingMethods,
  type Bag,
  type Body,
  type Caller,
  type Duration,
  type EngineRequestOptions,
  type Inbound,
  isObject,
  type RequestId,
  type Retry,
  type Session,
} from 'parley-mcp/engine'
import type { Slot } from '../supervision/index.ts'
import { type AskedLink, type Conversation, type ConversationCall, LinkMemory } from '../upstream/index.ts'
import type { CallOrigin, CallRouting, CallSite, Changes, Received, Renaming, Send } from './call-site.ts'
import type { HeldTurn } from './stages/held-turn.ts'
import type { DemandedLink } from './stages/link-demands.ts'
import type { ListRequest } from './stages/recall-list.ts'

/** How long a person or a model may take to answer a question. */
const ANSWER_TIMEOUT = '10m'

const asking: ReadonlySet<string> = new Set(askingMethods)

type Questions = Parameters<NonNullable<EngineRequestOptions['rounds']>['objection']>[0]

export class Call implements Inbound, ConversationCall {
  readonly method: string
  /** Where the client sent it. */
  readonly from: CallOrigin
  /** Set by the stage `route` at the address of all servers. */
  site: CallSite
  /** What the server is sent: names are its own. A stage that changes them replaces them. */
  params: Body
  /** Set by the stage `converse`. */
  conversation: Conversation | undefined
  /** Set by the stage `runTasks` where one request is not enough. */
  sendWith: Send | undefined
  /** Set by the stage `recallList`. */
  list: ListRequest | undefined
  /** Set by the stage `send`. */
  received: Received | undefined
  /** Set by the stage `runTasks` when work goes on after the request was answered: resolves when that is over. */
  lasting: Promise<unknown> | undefined
  /** Set by the stage `send` where links that the server asks for end this attempt. */
  demanded: DemandedLink[] | undefined
  /** Set by the stage `takeTurns` where calls of a conversation go one after the other. */
  turn: HeldTurn | undefined
  /** The most times that the server may answer with questions, for clients that shook hands. */
  maxRounds = 0
  bagIndex: number | undefined
  readonly #inbound: Inbound
  #routing: CallRouting
  #given: Body
  #beside: Bag<ConversationCall> | undefined
  #lasts = false
  #losses: Loss[] | undefined
  #links: LinkMemory | undefined
  /** What the client answered questions with where that was an error. */
  #refusals: Set<unknown> | undefined
  /** Questions that the client has. */
  #open = 0
  #slot: Slot | undefined
  /** For how many answers of its client it waits. */
  #waits = 0
  #waitsSince = 0
  #asked = false
  #rounds = 0
  #exhausted = false
  #over = false

  constructor(inbound: Inbound, from: CallOrigin, site?: CallSite, routing: CallRouting = NO_ROUTING) {
    this.#inbound = inbound
    this.from = from
    this.site = site as CallSite
    this.#routing = routing
    this.method = routing.method ?? inbound.method
    this.params = routing.changes === undefined ? inbound.params : changed(inbound.params, routing.changes)
    this.#given = this.params
  }

  /** The same request, to be made once more. */
  again(): Call {
    const again = new Call(this.#inbound, this.from, this.site, this.#routing)
    again.conversation = this.conversation
    return again
  }

  /** It is made at this server, under the names that the server knows. */
  at(site: CallSite, names: Renaming, changes: Body): Call {
    this.site = site
    this.#routing = { names, changes: { with: changes } }
    this.params = { ...this.params, ...changes }
    this.#given = this.params
    return this
  }

  /** The server is sent these parameters. */
  with(params: Body): Call {
    this.params = params
    return this
  }

  /** It is made in this conversation. */
  in(conversation: Conversation): Call {
    this.conversation = conversation
    return this
  }

  /** It is made in the conversation of its client, beside the client's other calls. */
  inOwn(conversation: Conversation): Call {
    this.conversation = conversation
    this.#beside = this.site.calls as Bag<ConversationCall>
    return this
  }

  /** Whether the server of its conversation is of the stateless era. */
  get isToStateless(): boolean {
    return this.conversation?.stateless === true
  }

  /** The same work under another request: a task that goes on after the answer. */
  continuedAs(task: Inbound, params: Body): Call {
    const running = new Call(task, this.from, this.site, CONTINUED)
    running.params = params
    running.conversation = this.conversation
    this.turn?.handTo(running)
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
  /** Answers that came with the request are answers to its own method. */
  get retry(): Retry | undefined {
    return this.method === this.#inbound.method ? this.#inbound.retry : undefined
  }
  /** As the client wrote them, with what is called otherwise at the server. */
  get sent(): Body {
    const { changes } = this.#routing
    return changes === undefined ? this.#inbound.sent : changed(this.#inbound.sent, changes)
  }

  /** Whether no stage has replaced the parameters. */
  get hasGivenParams(): boolean {
    return this.params === this.#given
  }

  /** Whether names and URIs of the server are other ones for the client. */
  get isRenamed(): boolean {
    return this.#routing.names !== undefined
  }

  /** Whether it is the work of a task, which goes on after the answer to the client's request. */
  get isContinued(): boolean {
    return this.#routing === CONTINUED
  }

  /** Whether the answer becomes part of a list of several servers. */
  get isPart(): boolean {
    return this.from.kind === 'part'
  }

  // What the client is sent

  progress(progress: number, total?: number, message?: string, more?: Body): void {
    const { names } = this.#routing
    this.#inbound.progress(progress, total, message, more && (names?.told('notifications/progress', more) ?? more))
  }

  notify(method: string, params?: Body): void {
    this.#inbound.notify(method, this.#told(method, params))
  }

  request(method: string, params?: Body, options?: EngineRequestOptions): Promise<Body> {
    return this.#inbound.request(method, this.#told(method, params), options)
  }

  release(retry?: Duration): void {
    this.#inbound.release(retry)
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    const { names } = this.#routing
    // The outcome of a task gets other names when the client asks for it.
    return this.#inbound.written(this.#lasts ? result : (names?.result(this.method, result) ?? result), onLoss)
  }

  /** The answer, in the names that the client knows. */
  renamed(result: Body): Body {
    return this.#routing.names?.result(this.method, result) ?? result
  }

  keep(cost: number, what: string): () => void {
    return this.#inbound.keep(cost, what)
  }

  afterAnswer(run: () => void): void {
    this.#lasts = true
    this.#inbound.afterAnswer(run)
  }

  /** Whether the gateway itself goes on working after the answer. */
  get lasts(): boolean {
    return this.#lasts
  }

  #told(method: string, params: Body | undefined): Body | undefined {
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
   * Hands on what the server tells about this call; where several clients share its log level, each gets what it asked
   * for.
   */
  tell(method: string, params: Body): void {
    const leastLevel = this.isContinued ? undefined : this.site.leastLevel
    if (leastLevel === undefined || method !== 'notifications/message' || isAtLeast(params['level'], leastLevel))
      this.notify(method, params)
  }

  /** Whether the client was asked anything on the way. */
  get asked(): boolean {
    return this.#asked
  }

  /** In the stateless era, only some requests can be answered with questions. */
  get canBeAsked(): boolean {
    return asking.has(this.method) || eraOf(this.caller.version) === 'handshake'
  }

  /**
   * Rule 9 of 8.2: a server hears what became of its questions before it hears that its work is not wanted any more.
   */
  onCancel(run: (reason: string) => void): () => void {
    return this.#inbound.onCancel((reason) => {
      if (this.#open === 0) run(reason)
      else this.session.clock.after(0, () => run(reason))
    })
  }

  /** One of several that the server works on from now on, until its end. */
  join(beside: Bag<ConversationCall>): void {
    if (this.#beside !== undefined) return
    this.#beside = beside
    if (asking.has(this.method)) beside.add(this)
  }

  /** The server begins to work on it. */
  begin(slot: Slot): void {
    this.#slot = slot
    if (this.#waits > 0) slot.giveBack()
    if (asking.has(this.method)) this.#beside?.add(this)
  }

  /** Whether it waits for its client, and not for the server. */
  get waits(): boolean {
    return this.#waits > 0
  }

  /** Since when; 0 where it never has. */
  get waitsSince(): number {
    return this.#waitsSince
  }

  /**
   * While a person thinks, the server works for others: the call's slot is theirs until the returned function is
   * called, once.
   */
  waitForClient(): () => void {
    this.#waitsSince = this.session.clock.now()
    if (this.#waits++ === 0) this.#slot?.giveBack()
    return () => {
      if (--this.#waits === 0) this.#slot?.takeAgain()
    }
  }

  /** Puts a question of the server to the client. */
  async ask(question: Inbound, params: Body = question.params): Promise<Body> {
    const options: EngineRequestOptions = {
      timeout: ANSWER_TIMEOUT,
      signal: question.signal,
      onLoss: (loss) => this.lose(loss),
    }
    // Who did not ask for progress has no use for it, and its words go on as they came.
    if (wantsProgress(question))
      options.onProgress = ({ progress, total, message, more }) => question.progress(progress, total, message, more)
    const goOn = this.waitForClient()
    const ownTurn = this.turn?.lend()
    this.#open++
    this.#asked = true
    try {
      return await this.request(question.method, params, options)
    } catch (error) {
      this.#refusals ??= new Set()
      this.#refusals.add(error)
      throw error
    } finally {
      this.#open--
      await ownTurn?.()
      goOn()
    }
  }

  /**
   * 8.1 rule 1, for servers that answer with questions. One that only wants to know whether a link was opened is asked
   * for as long as 8.3 says.
   */
  objection(questions: Questions): ParleyError | undefined {
    const waits = this.#links?.hasServedAll(questions.values()) === true
    if (waits ? this.#links?.isGivenUp() !== true : this.#rounds++ < this.maxRounds) return undefined
    this.#exhausted = true
    const why = waits
      ? 'the user was told of a link, and the server has not seen the user there within ten minutes'
      : `the server has answered it with questions more than ${this.maxRounds} times, which is what maxRounds allows`
    return new ParleyError('invalid_answer', { message: `${this.method} was given up: ${why}` })
  }

  /** Whether the server has asked too often. */
  get exhausted(): boolean {
    return this.#exhausted
  }

  /** Whether this is what the client said to a question, and not the server to the request. */
  wasRefusedWith(error: unknown): boolean {
    return this.#refusals?.has(error) === true
  }

  /** Links the client was asked to open for this call. */
  get links(): LinkMemory {
    this.#links ??= new LinkMemory()
    return this.#links
  }

  /** The server asks something; `url` when it wants a link opened. */
  noteQuestion(url?: string): void {
    this.#links?.asked(url, (links) => this.#complete(links))
  }

  /** Whether the server has answered it, or nobody waits for that any more. */
  get isOver(): boolean {
    return this.#over
  }

  /** The call is over. */
  end(): void {
    this.#over = true
    this.#beside?.delete(this)
    if (this.#links !== undefined) this.#complete(this.#links.served())
  }

  /** 8.3: whoever opened a link learns that it has served its purpose. */
  #complete(links: readonly AskedLink[]): void {
    for (const { elicitationId } of links) this.notify('notifications/elicitation/complete', { elicitationId })
  }
}

const NO_ROUTING: CallRouting = {}
const CONTINUED: CallRouting = {}

/** The conversation of a call, for stages after `converse`. */
export function conversationOf({ conversation }: Call): Conversation {
  return conversation as Conversation
}

/** Runs `done` when the call is over. A call that became a task goes on after its answer. */
export function whenOver({ lasting }: Call, done: () => void): void {
  if (lasting === undefined) done()
  else void lasting.finally(done)
}

function changed(params: Body, changes: Changes): Body {
  return 'only' in changes ? changes.only : { ...params, ...changes.with }
}

export function wantsProgress({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta['progressToken'] !== undefined
}

function isAtLeast(level: unknown, least: LogLevel): boolean {
  return (logLevels as readonly unknown[]).indexOf(level) >= logLevels.indexOf(least)
}

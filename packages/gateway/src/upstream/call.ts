/** One request of a client while a server behind the gateway works on it: where the server's questions, progress and messages belong. */
import { type ErrorKind, eraOf, type LogLevel, type Loss, logLevels, ParleyError } from 'parley-mcp'
import { askingMethods, type Body, type Crowd, type Inbound, isObject, META, type Member, type RequestOptions } from 'parley-mcp/engine'
import type { Place } from '../supervision/index.ts'
import { type AskedLink, LinkMemory } from './asked-links.ts'
import type { HeldTurn } from './held-turn.ts'
import type { DemandedLink, LinkDemands } from './link-demands.ts'

/** A person or a model may take its time. */
const PATIENCE = '10m'

const asking: ReadonlySet<string> = new Set(askingMethods)

type Questions = Parameters<NonNullable<RequestOptions['rounds']>['objection']>[0]

export class BridgedCall implements Member {
  readonly inbound: Inbound
  /** Set when work goes on after the request was answered: kept when that is over. */
  lasting: Promise<unknown> | undefined
  /** Whether nobody here looks into the result, so that its text may go on as it came. */
  handsOnText = false
  /** Whether the same text of the server is the same answer for every client of a version. */
  remembersLists = false
  /** Whether it is part of a list of several servers, in which what is refused would be missing: it is made whatever the rate. */
  isPart = false
  /** Shown what the server has said, before anything is made of it; true when the same is not asked for again for a while. */
  keep: ((result: Body) => boolean) | undefined
  /** What the gateway makes of the result, before it is translated for the client. */
  change: ((result: Body) => Body) | undefined
  /** Set where the server logs more than this client asked for. */
  leastLevel: LogLevel | undefined
  /** Calls that the same client has in the same conversation, where those matter: this is one of them while the server works on it. */
  beside: Crowd<BridgedCall> | undefined
  /** Set for clients that are told of links with an error: what their earlier attempts have left. */
  demands: LinkDemands | undefined
  /** Links that the server asks for in this attempt, where they end it. */
  demanded: DemandedLink[] | undefined
  /** 8.1: most times that it is made again for a client that shook hands, because the server answers with questions. */
  maxRounds = 0
  /** Set where calls of its conversation go one after the other. */
  turn: HeldTurn | undefined
  seat: number | undefined
  #losses: Loss[] | undefined
  #links: LinkMemory | undefined
  /** What the client answered questions with where that was an error. */
  #refusals: WeakSet<object> | undefined
  /** Questions that the client has. */
  #open = 0
  #place: Place | undefined
  /** For how many answers of its client it waits. */
  #waits = 0
  #waitsSince = 0
  #asked = false
  #rounds = 0
  #exhausted = false
  #over = false

  constructor(inbound: Inbound) {
    this.inbound = inbound
  }

  get method(): string {
    return this.inbound.method
  }

  /** What translation has lost so far. */
  get losses(): readonly Loss[] {
    return this.#losses ?? []
  }

  lose(loss: Loss): void {
    this.#losses ??= []
    this.#losses.push(loss)
    this.inbound.onLoss?.(loss)
  }

  /** Hands on what the server tells about this call; where several clients share its log level, each gets what it asked for. */
  tell(method: string, params: Body): void {
    if (this.leastLevel === undefined || method !== 'notifications/message' || isAtLeast(params['level'], this.leastLevel)) this.inbound.notify(method, params)
  }

  /** Whether the client was asked anything on the way. */
  get asked(): boolean {
    return this.#asked
  }

  /** In the stateless era, only some requests can be answered with questions. */
  get canBeAsked(): boolean {
    return asking.has(this.method) || eraOf(this.inbound.caller.version) === 'handshake'
  }

  /** Rule 9 of 8.2: a server hears what became of its questions before it hears that its work is not wanted any more. */
  onCancel(run: (reason: string) => void): () => void {
    const { inbound } = this
    return inbound.onCancel((reason) => {
      if (this.#open === 0) run(reason)
      else inbound.session.clock.after(0, () => run(reason))
    })
  }

  /** One of several that the server works on from now on, until its end. */
  join(beside: Crowd<BridgedCall>): void {
    this.beside = beside
    if (asking.has(this.method)) beside.add(this)
  }

  /** The server begins to work on it. */
  begin(place: Place): void {
    this.#place = place
    if (this.#waits > 0) place.giveBack()
    if (asking.has(this.method)) this.beside?.add(this)
  }

  /** Whether it waits for its client, and not for the server. */
  get waits(): boolean {
    return this.#waits > 0
  }

  /** Since when; 0 where it never has. */
  get waitsSince(): number {
    return this.#waitsSince
  }

  /** While a person thinks, the server works for others: the call's place is theirs until the returned function is called, once. */
  waitForClient(): () => void {
    this.#waitsSince = this.inbound.session.clock.now()
    if (this.#waits++ === 0) this.#place?.giveBack()
    return () => {
      if (--this.#waits === 0) this.#place?.takeAgain()
    }
  }

  /** Puts a question of the server to the client. */
  async ask(question: Inbound, params: Body = question.params): Promise<Body> {
    const { inbound } = this
    const options: RequestOptions = { timeout: PATIENCE, signal: question.signal, onLoss: (loss) => this.lose(loss) }
    // Who did not ask for progress has no use for it, and its words go on as they came.
    if (wantsProgress(question)) options.onProgress = ({ progress, total, message, more }) => question.progress(progress, total, message, more)
    const goOn = this.waitForClient()
    const ownTurn = this.turn?.lend()
    this.#open++
    this.#asked = true
    try {
      return await inbound.request(question.method, params, options)
    } catch (error) {
      this.#refusals ??= new WeakSet()
      this.#refusals.add(error as object)
      throw error
    } finally {
      this.#open--
      await ownTurn?.()
      goOn()
    }
  }

  /** 8.1 rule 1, for servers that answer with questions. One that only wants to know whether a link was opened is asked for as long as 8.3 says. */
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
  wasRefusedWith(error: object): boolean {
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
    this.beside?.delete(this)
    if (this.#links !== undefined) this.#complete(this.#links.served())
  }

  /** 8.3: whoever opened a link learns that it has served its purpose. */
  #complete(links: readonly AskedLink[]): void {
    for (const { elicitationId } of links) this.inbound.notify('notifications/elicitation/complete', { elicitationId })
  }
}

/** What a question fails with when the client will not answer it any more. Anything else is a reason the server has to know. */
const GONE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
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

/** What a client of the handshake era said when it is gone, or one of the stateless era when it never came back: no decision is made up for it. */
export function unanswered(method: string, error: unknown): Body {
  if (error instanceof ParleyError && (error.receivedCode !== undefined || !GONE.has(error.kind))) throw error
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'sampling/createMessage') throw new ParleyError('user_rejected', { message: 'User rejected sampling request', cause: error })
  throw new ParleyError('internal_error', { message: `The client did not answer ${method}`, cause: error })
}

/** Without what a request of the stateless era says of itself, which no server of the other era has a use for (D-01, D-06). */
export function ownParams({ caller }: Inbound, params: Body): Body {
  if (eraOf(caller.version) === 'handshake') return params
  const { inputResponses: _i, requestState: _s, ...own } = params
  const meta = own['_meta'] as Body | undefined
  if (meta === undefined) return own
  const kept = Object.entries(meta).filter(([key]) => !ENVELOPE.has(key))
  const { _meta: _, ...rest } = own
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}

const ENVELOPE: ReadonlySet<string> = new Set([META.version, META.clientInfo, META.clientCapabilities, META.logLevel])

export function wantsProgress({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta['progressToken'] !== undefined
}

function isAtLeast(level: unknown, least: LogLevel): boolean {
  return (logLevels as readonly unknown[]).indexOf(level) >= logLevels.indexOf(least)
}

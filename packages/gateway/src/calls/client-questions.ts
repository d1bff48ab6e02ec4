/** The questions that a server asks the client during one call. Created with the first of them. */
import { type Loss, ParleyError } from 'parley-mcp'
import { type Body, type EngineRequestOptions, type Inbound, isObject, type Session } from 'parley-mcp/engine'
import type { Slot } from '../supervision/index.ts'
import { type AskedLink, LinkMemory } from '../upstream/index.ts'

/** How long a user or a model may take to answer a question. */
const ANSWER_TIMEOUT = '10m'

type Questions = Parameters<NonNullable<EngineRequestOptions['rounds']>['objection']>[0]

/** A link that the client must open before it makes the call again. */
export interface DemandedLink {
  readonly link: AskedLink
  readonly message: unknown
}

interface AskedCall {
  readonly method: string
  readonly session: Session
  readonly site: { readonly upstream: { readonly config: { readonly maxRounds: number } } }
  readonly slot: Slot | undefined
  readonly turn: { lend(): () => Promise<void> } | undefined
  request(method: string, params: Body, options: EngineRequestOptions): Promise<Body>
  notify(method: string, params: Body): void
  lose(loss: Loss): void
}

export class ClientQuestions {
  /** The links that the client was asked to open. */
  readonly links = new LinkMemory()
  readonly #call: AskedCall
  /** The errors with which the client has answered questions. */
  readonly #refusals = new Set<unknown>()
  /** How many questions the client has not answered yet. */
  #open = 0
  /** For how many answers of its client the call waits. */
  #waits = 0
  #waitsSince = 0
  #hasAsked = false
  /** How often the server has answered with questions. */
  #rounds = 0
  #isExhausted = false
  #demanded: DemandedLink[] | undefined

  constructor(call: AskedCall) {
    this.#call = call
  }

  /** Whether the client has questions that it has not answered. */
  get areOpen(): boolean {
    return this.#open > 0
  }

  /** Whether the client was asked anything. */
  get hasAsked(): boolean {
    return this.#hasAsked
  }

  /** Whether the server has asked too often. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  get waits(): boolean {
    return this.#waits > 0
  }

  get waitsSince(): number {
    return this.#waitsSince
  }

  /** Whether the error is an answer of the client to a question, and not an answer of the server. */
  wereRefusedWith(error: unknown): boolean {
    return this.#refusals.has(error)
  }

  /** Gives the slot of the call to other calls until the returned function is called, once. */
  wait(): () => void {
    this.#waitsSince = this.#call.session.clock.now()
    if (this.#waits++ === 0) this.#call.slot?.giveBack()
    return () => {
      if (--this.#waits === 0) this.#call.slot?.takeAgain()
    }
  }

  async ask(question: Inbound, params: Body): Promise<Body> {
    const call = this.#call
    const options: EngineRequestOptions = {
      timeout: ANSWER_TIMEOUT,
      signal: question.signal,
      onLoss: (loss) => call.lose(loss),
    }
    // A question without a wish for progress is passed on as the text that the server wrote.
    if (wantsProgress(question))
      options.onProgress = ({ progress, total, message, more }) => question.progress(progress, total, message, more)
    const goOn = this.wait()
    const takeTurnAgain = call.turn?.lend()
    this.#open++
    this.#hasAsked = true
    try {
      return await call.request(question.method, params, options)
    } catch (error) {
      this.#refusals.add(error)
      throw error
    } finally {
      this.#open--
      await takeTurnAgain?.()
      goOn()
    }
  }

  /**
   * The error that ends a call whose server answers with questions too often. A server that only waits until the user
   * has opened a link may ask for ten minutes.
   */
  objection(questions: Questions): ParleyError | undefined {
    const { maxRounds } = this.#call.site.upstream.config
    const waits = this.links.hasServedAll(questions.values())
    if (waits ? !this.links.isGivenUp() : this.#rounds++ < maxRounds) return undefined
    this.#isExhausted = true
    const why = waits
      ? 'the user was told of a link, and the server has not seen the user there within ten minutes'
      : `the server has answered it with questions more than ${maxRounds} times, which is what maxRounds allows`
    return new ParleyError('invalid_answer', { message: `${this.#call.method} was given up: ${why}` })
  }

  /** From now on links end the call. Returns the list in which they are collected. */
  collectLinks(): readonly DemandedLink[] {
    this.#demanded = []
    return this.#demanded
  }

  /** From now on the client is asked to open links. */
  askForLinks(): void {
    this.#demanded = undefined
  }

  demandLink(link: AskedLink, message: unknown): boolean {
    if (this.#demanded === undefined) return false
    link.accepted = false
    this.#demanded.push({ link, message })
    return true
  }

  /** Notes that the server asks something. `url`: the link that the client is asked to open. */
  note(url?: string): void {
    this.links.asked(url, (links) => this.#complete(links))
  }

  /** The call is over. */
  end(): void {
    this.#complete(this.links.served())
  }

  /** Tells the client that it has opened the links successfully. */
  #complete(links: readonly AskedLink[]): void {
    for (const { elicitationId } of links) this.#call.notify('notifications/elicitation/complete', { elicitationId })
  }
}

export function wantsProgress({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta['progressToken'] !== undefined
}

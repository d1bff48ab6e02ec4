/**
 * Answers the questions of a server: asks the endpoint of this side, then makes the request again (D-06, D-20, D-22).
 */
import { ParleyError, toParleyError } from '../../../../errors/index.ts'
import type { Body } from '../../../../jsonrpc/index.ts'
import { Backoff } from '../../../../timing/index.ts'
import { askingMethods, type InputDemand, readInputRequired } from '../../../../versions/index.ts'
import type { SessionCore } from '../../../core.ts'
import type { Pending } from '../../../outgoing/pending.ts'
import type { RequestHost } from '../../era.ts'
import { EmbeddedQuestion, responseFrom, undeclaredFor } from './question.ts'

const asking: ReadonlySet<string> = new Set(askingMethods)

/** The wait before a request is repeated without questions. */
const backoff = Backoff.growing(250, 5000)

export class Rounds {
  readonly #core: SessionCore
  readonly #host: RequestHost

  constructor(core: SessionCore, host: RequestHost) {
    this.#core = core
    this.#host = host
  }

  begin(pending: Pending, result: Body): void {
    const demand = readInputRequired(result)
    const objection = this.#objection(pending, demand)
    if (objection !== undefined || typeof demand === 'string')
      return this.#host.fail(pending, new ParleyError('invalid_answer', { message: objection ?? '' }))
    const refused = pending.options?.rounds?.objection(demand.requests)
    if (refused !== undefined) return this.#host.fail(pending, refused)
    const quiet = pending.rounds++
    const signal = this.#host.hold(pending)
    if (demand.requests.size === 0) this.#wait(pending, backoff.delayBefore(quiet), demand, signal)
    else void this.#ask(pending, demand, signal)
  }

  #objection(pending: Pending, demand: InputDemand | string): string | undefined {
    const { method } = pending
    const { maxRounds } = this.#core.settings
    if (!asking.has(method))
      return `${method} was answered with questions, which only ${askingMethods.join(', ')} may be`
    if (typeof demand === 'string') return `${method} was answered with questions that cannot be read: ${demand}`
    // With `rounds` the caller limits the rounds itself.
    if (pending.options?.rounds === undefined && pending.rounds >= maxRounds)
      return `${method} was given up: the server has answered it with questions ${maxRounds} times`
    for (const [key, question] of demand.requests) {
      const capability = undeclaredFor(question, this.#core.self.capabilities)
      if (capability !== undefined)
        return `${method} was answered with the question ${shown(key)} (${question.method}), which needs the capability "${capability}" that this client did not declare`
    }
    return undefined
  }

  #wait(pending: Pending, ms: number, { state }: InputDemand, signal: AbortSignal): void {
    const cancel = this.#core.settings.clock.after(
      ms,
      () => this.#host.again(pending, retryParams(undefined, state), false),
      true,
    )
    signal.addEventListener('abort', cancel, { once: true })
  }

  async #ask(pending: Pending, { requests, state }: InputDemand, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const abort = (): void => over.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const questions = [...requests].map(
      ([key, question]) => new EmbeddedQuestion(key, question, this.#host.session, over.signal, pending.options?.owner),
    )
    try {
      const answers = await Promise.all(
        questions.map(async (question): Promise<[string, Body]> => [question.id, await this.#answer(question)]),
      )
      this.#host.again(pending, retryParams(Object.fromEntries(answers), state), true)
    } catch (error) {
      // The other questions are of no use any more.
      over.abort(error)
      this.#host.fail(pending, error)
    } finally {
      signal.removeEventListener('abort', abort)
      for (const question of questions) question.settle()
    }
  }

  /**
   * A form that cannot be answered is cancelled. For a model or a list there is no such answer, so the request fails.
   */
  async #answer(question: EmbeddedQuestion): Promise<Body> {
    const { method } = question
    this.#core.stats.of(method).received++
    try {
      return responseFrom(method, await this.#core.endpoint.answer(question))
    } catch (error) {
      this.#core.stats.of(method).failed++
      const known = toParleyError(error)
      const cancels = method === 'elicitation/create' && !question.cancelled
      // The server sees only a cancelled form, so the failure is reported here. A cancelled question may fail.
      if (!question.cancelled && (known.kind === 'internal_error' || (cancels && known.kind !== 'user_rejected')))
        this.#core.reportError(known.cause ?? known, `answering ${method}`)
      if (!cancels) throw error
      return { action: 'cancel' }
    }
  }
}

/** Parameters of one round. Nothing of an earlier round is sent again. */
function retryParams(inputResponses: Body | undefined, requestState: string | undefined): Body {
  return { ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) }
}

function shown(key: string): string {
  return JSON.stringify(key.slice(0, 64))
}

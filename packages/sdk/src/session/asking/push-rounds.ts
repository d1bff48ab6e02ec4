/** Asks a client of the handshake era the questions of a handler directly, then runs the handler again. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type Answer, type Inbound, InputRequired, type Retry } from '../endpoint.ts'

/** People and models need time. */
const ANSWER_TIMEOUT = '10m'

/** A call that can be answered again, with the answers to its questions. */
type Rerun = Omit<Inbound, 'retry'> & { retry: Retry | undefined }

export async function pushRounds<Call extends Rerun>(
  call: Call,
  first: InputRequired,
  maxRounds: number,
  begin: (call: Call) => Answer | Promise<Answer>,
): Promise<Answer> {
  let required = first
  for (let round = 0; round < maxRounds; round++) {
    const asked = await askAll(call, required)
    if (asked instanceof RefusedQuestion) return asked.answer(call)
    if (call.cancelled) throw new ParleyError('request_cancelled')
    call.retry = { responses: asked, state: asJson(required.state) }
    const answer = await begin(call)
    if (!(answer instanceof InputRequired)) return answer
    required = answer
  }
  throw new ParleyError('internal_error', { message: 'The call asked its client too many times' })
}

/** The client refused a question that has no answer for that. */
class RefusedQuestion {
  readonly #error: unknown

  constructor(error: unknown) {
    this.#error = error
  }

  /** A model can tell its user; a program gets the error. */
  answer(call: Rerun): Body {
    if (call.method !== 'tools/call' || call.cancelled) throw this.#error
    const why = this.#error instanceof Error ? this.#error.message : 'no reason given'
    return { content: [{ type: 'text', text: `Rejected by the client: ${why}` }], isError: true }
  }
}

async function askAll(call: Rerun, { requests }: InputRequired): Promise<Body | RefusedQuestion> {
  try {
    const answers = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [key, await ask(call, key, request)] as const),
    )
    return Object.fromEntries(answers)
  } catch (error) {
    return new RefusedQuestion(error)
  }
}

async function ask(call: Rerun, key: string, { method, params }: { method: string; params?: object }): Promise<Body> {
  try {
    return await call.request(method, params as Body | undefined, { key, timeout: ANSWER_TIMEOUT })
  } catch (error) {
    if (method === 'elicitation/create' && error instanceof ParleyError && error.receivedCode !== undefined)
      return { action: 'cancel' }
    throw error
  }
}

/** The state as a client would have brought it back. */
function asJson(state: unknown): unknown {
  return state === undefined ? undefined : JSON.parse(JSON.stringify(state))
}

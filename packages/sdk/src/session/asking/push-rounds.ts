/**
 * Questions of a handler that is run again, put to a client of the handshake era: asked directly, then the handler has
 * its next turn (8.1).
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type Answer, type Inbound, InputRequired, type Retry } from '../endpoint.ts'

/** A person or a model may take its time. */
const PATIENCE = '10m'

/** What is answered anew, with what came back. */
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
    if (asked instanceof Refused) return asked.answer(call)
    if (call.cancelled) throw new ParleyError('request_cancelled')
    call.retry = { responses: asked, state: asJson(required.state) }
    const answer = await begin(call)
    if (!(answer instanceof InputRequired)) return answer
    required = answer
  }
  throw new ParleyError('internal_error', { message: 'The call asked its client too many times' })
}

/** The client refused something that has no answer for that. */
class Refused {
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

async function askAll(call: Rerun, { requests }: InputRequired): Promise<Body | Refused> {
  try {
    const answers = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [key, await ask(call, key, request)] as const),
    )
    return Object.fromEntries(answers)
  } catch (error) {
    return new Refused(error)
  }
}

async function ask(call: Rerun, key: string, { method, params }: { method: string; params?: object }): Promise<Body> {
  try {
    return await call.request(method, params as Body | undefined, { key, timeout: PATIENCE })
  } catch (error) {
    if (method === 'elicitation/create' && error instanceof ParleyError && error.receivedCode !== undefined)
      return { action: 'cancel' }
    throw error
  }
}

/** As it would have travelled. */
function asJson(state: unknown): unknown {
  return state === undefined ? undefined : JSON.parse(JSON.stringify(state))
}

/**
 * Answers a question of a task of the peer: asks the endpoint of this side, as if the peer had asked directly (D7,
 * D-20).
 */
import { ParleyError, toParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Question } from '../../versions/index.ts'
import { EmbeddedQuestion, responseFrom, undeclaredFor } from '../eras/stateless/client/question.ts'
import type { SessionView } from '../session-view.ts'

/** A form that cannot be answered is cancelled. For a model or a list there is no such answer. */
export async function answerFor(
  session: SessionView,
  key: string,
  question: Question,
  signal: AbortSignal,
  owner?: unknown,
): Promise<Body> {
  const { method } = question
  const capability = undeclaredFor(question, session.self.capabilities)
  if (capability !== undefined) {
    const what = `${JSON.stringify(key.slice(0, 64))} (${method})`
    throw new ParleyError('invalid_answer', {
      message: `The task asks ${what}, which needs the capability "${capability}" that this client did not declare`,
    })
  }
  const embedded = new EmbeddedQuestion(key, question, session, signal, owner)
  try {
    return responseFrom(method, await session.endpoint.answer(embedded))
  } catch (error) {
    const known = toParleyError(error)
    if (signal.aborted) throw error
    const cancels = method === 'elicitation/create'
    // The peer sees only a cancelled form, so the failure is reported here.
    if (known.kind === 'internal_error' || (cancels && known.kind !== 'user_rejected'))
      session.reportError(known.cause ?? known, `answering ${method}`)
    if (!cancels) throw error
    return { action: 'cancel' }
  } finally {
    embedded.settle()
  }
}

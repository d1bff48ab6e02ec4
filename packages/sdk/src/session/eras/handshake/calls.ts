/** Requests of the peer in the handshake era: the session says who the caller is, and the peer can be asked directly. */
import type { ParleyError } from '../../../errors/index.ts'
import { type Body, type RequestId, resultText, Serialised } from '../../../jsonrpc/index.ts'
import type { Loss, ProtocolVersion } from '../../../versions/index.ts'
import { pushRounds } from '../../asking/push-rounds.ts'
import type { SessionCore } from '../../core.ts'
import type { Duration } from '../../duration.ts'
import type { Answer, Caller, InputRequired } from '../../endpoint.ts'
import type { Answering } from '../../incoming/answering.ts'
import type { Reply } from '../../incoming/batch-reply.ts'
import type { InboundCall } from '../../incoming/inbound-call.ts'
import { endedUnanswered } from '../../outgoing/request-errors.ts'
import type { EngineRequestOptions } from '../../request-options.ts'
import type { SessionView } from '../../session-view.ts'
import { relatedTaskOf, relatedTo } from '../../tasks/related.ts'
import type { CallEra } from '../era.ts'

/** Most times a handler is run again for a client that can be asked directly. */
const MAX_PUSH_ROUNDS = 32

export class HandshakeCalls implements CallEra {
  readonly #core: SessionCore
  readonly #answering: Answering

  constructor(core: SessionCore, answering: Answering) {
    this.#core = core
    this.#answering = answering
  }

  get version(): ProtocolVersion | undefined {
    return this.#core.version
  }
  // Not fields: each session has one of these objects.
  get principal(): undefined {
    return undefined
  }
  get address(): undefined {
    return undefined
  }
  get logLevel(): undefined {
    return undefined
  }

  keyOf(id: RequestId): RequestId {
    return id
  }

  callerIn(session: SessionView): Caller {
    return session.caller
  }

  metadataOf(params: Body): Body | undefined {
    return params['_meta'] as Body | undefined
  }

  answer(call: InboundCall): Answer | Promise<Answer> {
    return this.#core.endpoint.answer(call)
  }

  askFirst(call: InboundCall, required: InputRequired): Promise<Answer> {
    return pushRounds(call, required, MAX_PUSH_ROUNDS, (again) => this.#core.endpoint.answer(again))
  }

  ask(call: InboundCall, method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body> {
    const signal = options.signal === undefined ? call.signal : AbortSignal.any([options.signal, call.signal])
    return call.session.request(method, params, { ...options, signal, relatedTo: call.id })
  }

  notify({ session, id }: InboundCall, method: string, params: Body | undefined): void {
    session.notify(method, params, { relatedTo: id })
  }

  release({ session, id }: InboundCall, retry: Duration | undefined): void {
    session.release(id, retry)
  }

  written(call: InboundCall, result: Body, onLoss: ((loss: Loss) => void) | undefined): Body {
    return call.session.translateResult(call.method, result, undefined, both(onLoss, call.onLoss))
  }

  resultText(call: InboundCall, result: Body | Serialised): string {
    return resultText(call.id, this.#core.translateAnswer(call, markedAsTask(call, result)))
  }

  statusOf(): undefined {
    return undefined
  }

  refuse(id: RequestId, error: ParleyError, reply: Reply | undefined): void {
    this.#answering.refuse(id, error, reply)
  }

  answered(): void {}

  unanswered(): ParleyError {
    return endedUnanswered()
  }
}

/** C-25: messages that belong to a task name it in their metadata. Requests about a task name it anyway. */
function markedAsTask({ params, method }: InboundCall, result: Body | Serialised): Body | Serialised {
  if (params['_meta'] === undefined || result instanceof Serialised) return result
  const taskId = relatedTaskOf(params)
  return taskId === undefined || method.startsWith('tasks/') ? result : relatedTo(taskId, result)
}

function both(
  one: ((loss: Loss) => void) | undefined,
  other: ((loss: Loss) => void) | undefined,
): ((loss: Loss) => void) | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return (loss) => {
    one(loss)
    other(loss)
  }
}

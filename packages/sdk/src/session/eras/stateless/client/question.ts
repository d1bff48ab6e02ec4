/**
 * A question that came inside a result. The endpoint of the client sees it like any other request of the server (D-08,
 * D-20).
 */
import { ParleyError } from '../../../../errors/index.ts'
import { type Body, isObject, Serialised } from '../../../../jsonrpc/index.ts'
import { type Capabilities, declares } from '../../../../protocol/index.ts'
import type { Question } from '../../../../versions/index.ts'
import { type Answer, type Caller, type Inbound, InputRequired, type MessageContext } from '../../../endpoint.ts'
import type { SessionView } from '../../../session-view.ts'

export class EmbeddedQuestion implements Inbound {
  readonly id: string
  readonly method: string
  readonly params: Body
  readonly session: SessionView
  readonly principal = undefined
  readonly logLevel = undefined
  readonly retry = undefined
  readonly owner: unknown
  readonly within = true
  /** Aborted when the request that led to the question is over. */
  readonly signal: AbortSignal
  readonly #askedAt: number
  #afterAnswer: (() => void) | undefined

  constructor(
    key: string,
    { method, params = {} }: Question,
    session: SessionView,
    signal: AbortSignal,
    owner: unknown,
  ) {
    // D-49: nothing that is asked this way is a task.
    const { task: _, ...own } = params
    this.id = key
    this.method = method
    this.params = own
    this.session = session
    this.signal = signal
    this.owner = owner
    this.#askedAt = session.clock.now()
  }

  get caller(): Caller {
    return this.session.caller
  }

  get cancelled(): boolean {
    return this.signal.aborted
  }

  get sent(): Body {
    return this.params
  }

  onCancel(run: (reason: string) => void): () => void {
    return onAbort(this.signal, run)
  }

  get context(): MessageContext {
    const meta = isObject(this.params['_meta']) ? this.params['_meta'] : {}
    const { transport, id: sessionId } = this.session
    return {
      direction: 'server_to_client',
      transport,
      sessionId,
      receivedAt: this.#askedAt,
      traceparent: stringOf(meta['traceparent']),
      tracestate: stringOf(meta['tracestate']),
    }
  }

  /** Without effect: the question has no request on the wire. */
  progress(): void {}
  notify(): void {}
  release(): void {}

  request(method: string): Promise<Body> {
    return Promise.reject(
      new ParleyError('version_gap', {
        message: `${method} cannot be asked: the question came inside a result and has no request`,
      }),
    )
  }

  written(result: Body): Body {
    return result
  }

  keep(cost: number, what: string): () => void {
    return this.session.keep(cost, what)
  }

  afterAnswer(run: () => void): void {
    this.#afterAnswer = run
  }

  /** The answer was sent, or never will be. */
  settle(): void {
    const run = this.#afterAnswer
    this.#afterAnswer = undefined
    run?.()
  }
}

/** The capability that a question needs and this client did not declare, if so. */
export function undeclaredFor({ method, params = {} }: Question, capabilities: Capabilities): string | undefined {
  return NEEDED[method]?.(params, capabilities).find((path) => !declares(capabilities, path))
}

const NEEDED: Readonly<Record<string, (params: Body, capabilities: Capabilities) => string[]>> = {
  'elicitation/create': ({ mode }, { elicitation }) => {
    if (mode === 'url') return ['elicitation.url']
    // Without a mode the capability stands for forms.
    return isObject(elicitation) && elicitation['url'] !== undefined ? ['elicitation.form'] : ['elicitation']
  },
  'sampling/createMessage': ({ tools, toolChoice }) =>
    tools === undefined && toolChoice === undefined ? ['sampling'] : ['sampling', 'sampling.tools'],
  'roots/list': () => ['roots'],
}

/** D-50: an answer is no result of its own, so only the answer of a model keeps its `_meta`. */
export function responseFrom(method: string, answer: Answer): Body {
  if (answer instanceof InputRequired)
    throw new ParleyError('internal_error', { message: `${method} cannot be answered with another question` })
  const body = answer instanceof Serialised ? (JSON.parse(answer.json) as Body) : answer
  if (method === 'sampling/createMessage' || body['_meta'] === undefined) return body
  const { _meta: _, ...rest } = body
  return rest
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** For requests that are known by their signal. */
export function onAbort(signal: AbortSignal, run: (reason: string) => void): () => void {
  const tell = (): void => run(signal.reason instanceof Error ? signal.reason.message : 'Cancelled')
  if (signal.aborted) tell()
  else signal.addEventListener('abort', tell, { once: true })
  return () => signal.removeEventListener('abort', tell)
}

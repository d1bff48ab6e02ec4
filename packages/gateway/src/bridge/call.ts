/** One request of a client while a server behind the gateway works on it: where the server's questions, progress and messages belong. */
import { type ErrorKind, type Loss, ParleyError } from 'parley-mcp'
import { type Body, type Inbound, META, type RequestOptions } from 'parley-mcp/engine'
import { type AskedLink, LinkMemory } from './asked-links.ts'

/** A person or a model may take its time. */
const PATIENCE = '10m'

export class BridgedCall {
  readonly inbound: Inbound
  /** What the client answered a question with, when that was an error. */
  refused: unknown
  /** Set when work goes on after the request was answered: kept when that is over. */
  lasting: Promise<unknown> | undefined
  #losses: Loss[] | undefined
  #links: LinkMemory | undefined

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
  }

  /** Puts a question of the server to the client. */
  async ask(question: Inbound, params: Body = question.params): Promise<Body> {
    const { inbound } = this
    const options: RequestOptions = {
      timeout: PATIENCE,
      signal: question.signal,
      onProgress: ({ progress, total, message }) => question.progress(progress, total, message),
    }
    try {
      return await inbound.request(question.method, params, options)
    } catch (error) {
      this.refused = error
      throw error
    }
  }

  /** Links the client was asked to open for this call. */
  get links(): LinkMemory {
    this.#links ??= new LinkMemory()
    return this.#links
  }

  /** The call is over: whoever opened a link learns that it has served its purpose. */
  end(): void {
    for (const { elicitationId } of this.#links?.accepted() ?? ([] as AskedLink[])) this.inbound.notify('notifications/elicitation/complete', { elicitationId })
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
export function ownParams(params: Body): Body {
  const { inputResponses: _i, requestState: _s, ...own } = params
  const meta = own['_meta'] as Body | undefined
  if (meta === undefined) return own
  const kept = Object.entries(meta).filter(([key]) => !ENVELOPE.has(key))
  const { _meta: _, ...rest } = own
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}

const ENVELOPE: ReadonlySet<string> = new Set([META.version, META.clientInfo, META.clientCapabilities, META.logLevel])

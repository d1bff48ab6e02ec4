/** The endpoint of one session with a client: answers its requests, and remembers the client's log level. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import { type LogLevel, logLevels } from '../protocol/index.ts'
import {
  type AcceptOptions,
  type Answered,
  compose,
  type Endpoint,
  type Inbound,
  type Introduction,
  type Session,
} from '../session/index.ts'
import { type HeaderParam, supports } from '../versions/index.ts'
import { isForPeer, masked } from './failure.ts'
import type { ServerState } from './state.ts'

export type AnswerMethod = (conversation: Conversation, inbound: Inbound) => Answered

export class Conversation implements Endpoint {
  readonly host: ServerState
  /** Undefined until the session is made. */
  session: Session | undefined
  /** For a caller in the same process: gets the error of a tool, and the text that the caller reads. */
  readonly onToolError: AcceptOptions['onToolError']
  /** Index of the least severe level that the client wants. Default: all messages. */
  #level = 0
  readonly #answers: ReadonlyMap<string, AnswerMethod>
  /** Undefined for a server without stages. */
  readonly #staged: ((inbound: Inbound) => Answered) | undefined

  constructor(
    host: ServerState,
    answers: ReadonlyMap<string, AnswerMethod>,
    onToolError?: AcceptOptions['onToolError'],
  ) {
    this.host = host
    this.#answers = answers
    this.onToolError = onToolError
    if (host.stages.length > 0) this.#staged = compose(host.stages, (inbound) => this.#dispatch(inbound))
  }

  introduce(): Introduction {
    return this.host.introduce()
  }

  answer(inbound: Inbound): Answered {
    return this.#staged === undefined ? this.#dispatch(inbound) : this.#staged(inbound)
  }

  #dispatch(inbound: Inbound): Answered {
    const answer = this.#answers.get(inbound.method)
    if (answer === undefined)
      throw new ParleyError('method_not_found', { message: `Method not found: ${inbound.method.slice(0, 200)}` })
    return answer(this, inbound)
  }

  tool(name: string): Body | undefined {
    return this.host.registry.shownTool(name)
  }

  headerParams(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> | undefined {
    return this.host.registry.tools.get(name)?.headerParams
  }

  /** Listeners would wait for ever. */
  closing(session: Session): void {
    this.host.listeners.endAll(session)
  }

  closed(): void {
    this.host.release(this)
  }

  setLevel(level: unknown): Body {
    const index = (logLevels as readonly unknown[]).indexOf(level)
    if (index === -1)
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.#level = index
    return {}
  }

  /** Sends a log message if the client wants messages of its level. A failure goes to the local log. */
  log(level: LogLevel, data: unknown, logger: string | undefined, related?: Inbound): void {
    const index = logLevels.indexOf(level)
    if (index === -1)
      throw new TypeError(`Invalid log level ${JSON.stringify(level)}: use one of ${logLevels.join(', ')}`)
    if (!this.#wants(index, related)) return
    const params: Body = { level, data: data instanceof Error ? `${data.name}: ${data.message}` : (data ?? null) }
    if (logger !== undefined) params['logger'] = logger
    try {
      if (related !== undefined) related.notify('notifications/message', params)
      else if (this.session?.open) this.session.notify('notifications/message', params)
    } catch (error) {
      this.host.report(error, { during: 'notifications/message', session: this.session })
    }
  }

  /** Since 2026-07-28 each request names its level. Without a level it wants no messages. */
  #wants(index: number, related: Inbound | undefined): boolean {
    if (related === undefined || !supports(related.caller.version, 'request-log-level')) return index >= this.#level
    return related.logLevel !== undefined && index >= logLevels.indexOf(related.logLevel)
  }

  /** The error for the peer. Details that are not meant for it go to the local log. */
  failure(inbound: Inbound, thrown: unknown, name?: string): ParleyError {
    if (inbound.cancelled) return new ParleyError('request_cancelled', { cause: thrown })
    const forPeer = isForPeer(thrown)
    // A broken schema is reported to both: the author has to correct it.
    if (!forPeer || thrown.cause !== undefined || thrown.kind === 'tool_schema_invalid')
      this.host.report(thrown, { during: inbound.method, name, session: inbound.session })
    return forPeer ? thrown : masked(thrown)
  }
}

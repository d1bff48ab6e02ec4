/**
 * One client's conversation with a server: which answer belongs to which method, and the little that is remembered
 * between requests.
 */
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
import { isPromise } from './definition.ts'
import { isForPeer, masked } from './failure.ts'
import { listPage, lists } from './lists.ts'
import { getPrompt } from './prompts/get.ts'
import { readResource } from './resources/read.ts'
import { getSkill, listSkills, readDirectory } from './skills/answers.ts'
import type { ServerState } from './state.ts'
import { listen } from './subscriptions/listeners.ts'
import { subscribe, unsubscribe } from './subscriptions/subscribe.ts'
import { suggestValues } from './suggestions.ts'
import { callTool } from './tools/call.ts'

const answers: ReadonlyMap<string, (conversation: Conversation, inbound: Inbound) => Answered> = new Map<
  string,
  (conversation: Conversation, inbound: Inbound) => Answered
>([
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/get', getPrompt],
  ['completion/complete', suggestValues],
  ['subscriptions/listen', listen],
  ...['tasks/get', 'tasks/result', 'tasks/update', 'tasks/list', 'tasks/cancel'].map(
    (method) => [method, aboutTask] as const,
  ),
  ['skills/list', listSkills],
  ['skills/get', getSkill],
  ['resources/directory/read', readDirectory],
  ['logging/setLevel', (conversation, inbound) => conversation.setLevel(inbound.params['level'])],
  ...[...lists.keys()].map((method) => [method, list] as const),
])

function aboutTask(conversation: Conversation, inbound: Inbound): Answered {
  return conversation.host.tasks.answer(inbound)
}

function list(conversation: Conversation, inbound: Inbound): Answered {
  const { registry, pageSize } = conversation.host
  const fail = (thrown: unknown): never => {
    throw conversation.failure(inbound, thrown)
  }
  try {
    const page = listPage(registry, inbound, pageSize, conversation.host.cache.lists)
    return isPromise(page) ? page.catch(fail) : page
  } catch (thrown) {
    return fail(thrown)
  }
}

export class Conversation implements Endpoint {
  readonly host: ServerState
  /** Set as soon as there is one. */
  session: Session | undefined
  /** For a caller in the same process: told what a tool threw, and the text the caller reads. */
  readonly onToolError: AcceptOptions['onToolError']
  /** Index of the least severe level the client wants; until it says so, it hears everything. */
  #level = 0
  /** Set where requests pass stages. */
  readonly #staged: ((inbound: Inbound) => Answered) | undefined

  constructor(host: ServerState, onToolError?: AcceptOptions['onToolError']) {
    this.host = host
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
    const make = answers.get(inbound.method)
    if (make === undefined)
      throw new ParleyError('method_not_found', { message: `Method not found: ${inbound.method.slice(0, 200)}` })
    return make(this, inbound)
  }

  tool(name: string): Body | undefined {
    return this.host.registry.shownTool(name)
  }

  headerParams(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> | undefined {
    return this.host.registry.tools.get(name)?.headerParams
  }

  /** Who listens would do so for ever. */
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

  /**
   * Sends a log message if the client wants to hear of its level; a message that cannot be sent harms nobody but the
   * local log.
   */
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

  /** Since 2026-07-28 each request says what it wants to hear; one that says nothing wants nothing. */
  #wants(index: number, related: Inbound | undefined): boolean {
    if (related === undefined || !supports(related.caller.version, 'request-log-level')) return index >= this.#level
    return related.logLevel !== undefined && index >= logLevels.indexOf(related.logLevel)
  }

  /** What the peer is told of a failure; everything that is not meant for it goes to the local log instead. */
  failure(inbound: Inbound, thrown: unknown, name?: string): ParleyError {
    if (inbound.cancelled) return new ParleyError('request_cancelled', { cause: thrown })
    const forPeer = isForPeer(thrown)
    // A broken schema is the author's to mend, and the peer's to know of.
    if (!forPeer || thrown.cause !== undefined || thrown.kind === 'tool_schema_invalid')
      this.host.report(thrown, { during: inbound.method, name, session: inbound.session })
    return forPeer ? thrown : masked(thrown)
  }
}

/** The stage that remembers lists as text: most servers answer with the same text each time, which is not read again. */
import type { Loss } from 'parley-mcp'
import { type Answer, type Body, type EngineRequestOptions, Serialised, type Stage } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import { asksForReport } from '../report.ts'
import { isEnveloped, type RelayMode, relayMode } from './send.ts'

export const LIST_METHODS: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]

/** Not for lists whose definitions the gateway changes. */
export const recallList: Stage<Call> = async (call, next) => {
  if (call.isRenamed || call.site.upstream.tools.changesLists || asksForReport(call)) return next(call)
  const list = new ListRequest(call)
  call.list = list
  const answer: Answer = await next(call)
  if (answer instanceof Serialised || call.received === undefined) return answer
  return list.remember(answer as Body, answer === call.received.body) ?? answer
}

export class ListRequest {
  /** The answer, when the server has said nothing new. */
  known: Serialised | undefined
  readonly options: Pick<EngineRequestOptions, 'ifText' | 'onText'>
  readonly #call: Call
  readonly #mode: RelayMode
  readonly #upstream: Upstream
  readonly #key: string
  #text: string | undefined
  /** Whether what was received can be handed on in the words it came in. */
  #isUntouched = true

  constructor(call: Call) {
    const { upstream } = call.site
    const { client } = conversationOf(call)
    this.#call = call
    this.#mode = relayMode(call)
    this.#upstream = upstream
    this.#key = JSON.stringify([call.method, call.params['cursor'] ?? null, call.caller.version, client.version])
    const kept = upstream.lists.find(this.#key, upstream.introduction)
    this.options = {
      ifText: (json) => {
        if (kept?.text !== json) return false
        this.known = kept.answer
        // X2: what is lost for one is lost for everybody.
        call.session.reportLosses(kept.losses)
        for (const loss of kept.losses) call.onLoss?.(loss)
        return true
      },
      onText: (json, untouched) => {
        this.#text = json
        this.#isUntouched = untouched
      },
    }
  }

  /**
   * The answer as it will be given again; undefined when it cannot be. `untouched`: nobody here has changed what was
   * received.
   */
  remember(result: Body, untouched: boolean): Serialised | undefined {
    const text = this.#text
    if (text === undefined || !this.#isForOnce(result)) return undefined
    const losses: Loss[] = []
    const isAsWritten = untouched && this.#isUntouched && this.#mode !== 'translated'
    const answer = new Serialised(isAsWritten ? text : JSON.stringify(this.#written(result, losses)))
    this.#upstream.lists.keep(this.#key, { text, answer, losses, of: this.#upstream.introduction })
    return answer
  }

  /** What both sides say in the same words is not translated. */
  #written(result: Body, losses: Loss[]): Body {
    return this.#mode === 'same' ? result : this.#call.written(result, (loss) => losses.push(loss))
  }

  /** The cache keeps what stays fresh for a while, and the server is not asked for it meanwhile. */
  #isForOnce(result: Body): boolean {
    const { ttlMs } = result
    if (this.#mode === 'relayed' && !isEnveloped(this.#call.method, result)) return false
    if (!this.#call.isToStateless || !(this.#mode === 'relayed' || this.#upstream.config.cache)) return true
    return !(typeof ttlMs === 'number' && ttlMs > 0)
  }
}

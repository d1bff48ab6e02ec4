/** The stage that reuses the answer to a list request when the server sends the same text again. */
import type { Loss } from 'parley-mcp'
import { type Answer, type Body, type EngineRequestOptions, Serialised, type Stage } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import type { KnownText, RelayMode } from '../call-site.ts'
import { asksForReport } from '../report.ts'
import { isEnveloped, relayMode } from './send.ts'

export const LIST_METHODS: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]

/** Skips lists whose definitions the gateway changes. */
export const recallList: Stage<Call> = async (call, next) => {
  if (call.isRenamed || call.site.upstream.tools.changesLists || asksForReport(call)) return next(call)
  const list = new ListRequest(call)
  call.list = list
  const answer: Answer = await next(call)
  if (answer instanceof Serialised || call.received === undefined) return answer
  return list.remember(answer as Body, answer === call.received.body) ?? answer
}

class ListRequest implements KnownText {
  /** Set when the server has sent the same text again. */
  known: Serialised | undefined
  readonly options: Pick<EngineRequestOptions, 'ifText' | 'onText'>
  readonly #call: Call
  readonly #mode: RelayMode
  readonly #upstream: Upstream
  readonly #key: string
  #text: string | undefined
  /** Whether the SDK has passed the result on as it was received. */
  #isUntouched = true

  constructor(call: Call) {
    const { upstream } = call.site
    const { client } = conversationOf(call)
    this.#call = call
    this.#mode = relayMode(call)
    this.#upstream = upstream
    this.#key = JSON.stringify([call.method, call.params['cursor'] ?? null, call.caller.version, client.version])
    const earlier = upstream.lists.find(this.#key, upstream.introduction)
    this.options = {
      ifText: (json) => {
        if (earlier?.text !== json) return false
        this.known = earlier.answer
        // X2: the losses are the same for each client.
        call.session.reportLosses(earlier.losses)
        for (const loss of earlier.losses) call.onLoss?.(loss)
        return true
      },
      onText: (json, untouched) => {
        this.#text = json
        this.#isUntouched = untouched
      },
    }
  }

  /**
   * The answer as it will be used again, or `undefined` when it cannot be. `untouched`: no stage has changed what was
   * received.
   */
  remember(result: Body, untouched: boolean): Serialised | undefined {
    const text = this.#text
    if (text === undefined || !this.#isReusable(result)) return undefined
    const losses: Loss[] = []
    const isAsWritten = untouched && this.#isUntouched && this.#mode !== 'translated'
    const answer = new Serialised(isAsWritten ? text : JSON.stringify(this.#written(result, losses)))
    this.#upstream.lists.keep(this.#key, { text, answer, losses, of: this.#upstream.introduction })
    return answer
  }

  /** A result between sides of the same version is not translated. */
  #written(result: Body, losses: Loss[]): Body {
    return this.#mode === 'same' ? result : this.#call.written(result, (loss) => losses.push(loss))
  }

  /** A result that stays fresh is for the cache, which answers without asking the server. */
  #isReusable(result: Body): boolean {
    const { ttlMs } = result
    if (this.#mode === 'relayed' && !isEnveloped(this.#call.method, result)) return false
    if (!this.#call.isToStateless || !(this.#mode === 'relayed' || this.#upstream.config.cache)) return true
    return !(typeof ttlMs === 'number' && ttlMs > 0)
  }
}

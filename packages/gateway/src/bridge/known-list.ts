/** One request for a list, which most servers answer with the same words each time. */
import type { Loss } from 'parley-mcp'
import { type Body, type RequestOptions, Serialised } from 'parley-mcp/engine'
import type { BridgedCall, Line, Upstream } from '../upstream/index.ts'
import { asksForReport, isEnveloped, type Way } from './relay.ts'

const LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])

/** Undefined for what is no list, and for lists that somebody here looks into. */
export function listOf(call: BridgedCall, line: Line, way: Way, upstream: Upstream): ListRequest | undefined {
  const { inbound } = call
  if (!call.remembersLists || !LISTS.has(inbound.method) || upstream.tools.changesLists || asksForReport(inbound)) return undefined
  return new ListRequest(call, line, way, upstream)
}

export class ListRequest {
  /** The answer, when the server has said nothing new. */
  known: Serialised | undefined
  readonly options: Pick<RequestOptions, 'ifText' | 'onText'>
  readonly #call: BridgedCall
  readonly #way: Way
  readonly #upstream: Upstream
  readonly #key: string
  #text: string | undefined
  /** Whether what was received can be handed on in the words it came in. */
  #isUntouched = true

  constructor(call: BridgedCall, line: Line, way: Way, upstream: Upstream) {
    const { inbound } = call
    this.#call = call
    this.#way = way
    this.#upstream = upstream
    this.#key = JSON.stringify([inbound.method, inbound.params['cursor'] ?? null, inbound.caller.version, line.client.version])
    const kept = upstream.lists.find(this.#key, upstream.introduction)
    this.options = {
      ifText: (json) => {
        if (kept?.text !== json) return false
        this.known = kept.answer
        // X2: what is lost for one is lost for everybody.
        inbound.session.reportLosses(kept.losses)
        for (const loss of kept.losses) inbound.onLoss?.(loss)
        return true
      },
      onText: (json, untouched) => {
        this.#text = json
        this.#isUntouched = untouched
      },
    }
  }

  /** The answer as it will be given again; undefined when it cannot be. `untouched`: nobody here has changed what was received. */
  remember(result: Body, untouched: boolean): Serialised | undefined {
    const text = this.#text
    if (text === undefined || (this.#way === 'relayed' && !this.#isForOnce(result))) return undefined
    const losses: Loss[] = []
    const isAsWritten = untouched && this.#isUntouched && this.#way !== 'translated'
    const answer = new Serialised(isAsWritten ? text : JSON.stringify(this.#written(result, losses)))
    this.#upstream.lists.keep(this.#key, { text, answer, losses, of: this.#upstream.introduction })
    return answer
  }

  /** What both sides say in the same words is not translated. */
  #written(result: Body, losses: Loss[]): Body {
    return this.#way === 'same' ? result : this.#call.inbound.written(result, (loss) => losses.push(loss))
  }

  /** What stays fresh for a while is kept as it was read, and not asked for again. */
  #isForOnce(result: Body): boolean {
    return isEnveloped(this.#call.method, result) && !(typeof result['ttlMs'] === 'number' && result['ttlMs'] > 0)
  }
}

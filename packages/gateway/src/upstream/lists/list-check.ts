/** Reads the lists of one server, and repairs or leaves out invalid definitions. Each problem is logged once. */
import { ParleyError } from 'parley-mcp'
import {
  type BadDefinition,
  type Body,
  type Client,
  type EngineRequestOptions,
  emptyIfUnknown,
  type ReadableList,
  readableList,
} from 'parley-mcp/engine'
import type { ServerConfig } from '../../config/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import { namingSize } from '../refusals.ts'

const MAX_LOGGED = 1000
const MAX_NAMES = 20

export class ListCheck {
  readonly #config: ServerConfig
  readonly #server: string
  readonly #log: GatewayLog
  /** The problems that were logged last, by list and page. */
  readonly #logged = new Map<string, string>()

  constructor(config: ServerConfig, log: GatewayLog) {
    this.#config = config
    this.#server = config.name
    this.#log = log
  }

  /** Requests a page of a list. A page with a known text is not read again. */
  async request(
    client: Client,
    method: string,
    params: Body | undefined,
    options: EngineRequestOptions,
  ): Promise<Body> {
    const received: { json?: string; untouched?: boolean; isKnown?: boolean } = {}
    const { onText, ifText } = options
    const own: EngineRequestOptions = { ...options }
    if (onText !== undefined) own.onText = (json, untouched) => Object.assign(received, { json, untouched })
    if (ifText !== undefined) own.ifText = (json) => (received.isKnown = ifText(json))
    const answer = await client
      .request(method, params, own)
      .catch((error: unknown) => emptyIfUnknown(method, namingSize(error, this.#config)))
    if (received.isKnown === true || isPart(answer)) return answer
    const { result, losses, bad } = this.#read(method, answer, options.relayed === true ? client : undefined)
    if (received.json !== undefined) onText?.(received.json, received.untouched === true && result === answer)
    if (losses.length > 0) client.session.reportLosses(losses)
    for (const loss of losses) options.onLoss?.(loss)
    this.#logProblems(method, params?.['cursor'], bad)
    return result
  }

  #read(method: string, answer: Body, server: Client | undefined): ReadableList {
    try {
      return readableList(method, answer, server?.version)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      throw new ParleyError(error.kind, {
        message: `Server "${this.#server}": ${error.message}`,
        data: { server: this.#server },
      })
    }
  }

  /** Logs the problems of a page, unless they are the same as before. */
  #logProblems(method: string, cursor: unknown, bad: readonly BadDefinition[]): void {
    const key = JSON.stringify([method, cursor])
    if (bad.length === 0) {
      this.#logged.delete(key)
      return
    }
    const problems = problemsOf(bad)
    const summary = JSON.stringify(problems)
    if (this.#logged.get(key) === summary) return
    if (this.#logged.size >= MAX_LOGGED) this.#logged.clear()
    this.#logged.set(key, summary)
    for (const { isLeftOut, text } of problems) {
      const message = `${this.#server}: ${method}: ${text}`
      const facts = { server: this.#server, method }
      if (isLeftOut) this.#log.warning(message, facts)
      else this.#log.info(message, facts)
    }
  }
}

interface Problem {
  readonly isLeftOut: boolean
  readonly text: string
}

/** One entry for each problem, with the names of the definitions that have it. */
function problemsOf(bad: readonly BadDefinition[]): Problem[] {
  const groups = new Map<string, { readonly isLeftOut: boolean; readonly problem: string; readonly names: string[] }>()
  for (const { who, problems, isLeftOut } of bad) {
    const problem = problems.join(', ')
    const group = groups.get(`${isLeftOut} ${problem}`) ?? { isLeftOut, problem, names: [] }
    groups.set(`${isLeftOut} ${problem}`, group)
    group.names.push(who)
  }
  return [...groups.values()].map(({ isLeftOut, problem, names }) => {
    const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`] : names
    const many = names.length > 1
    const action = isLeftOut
      ? `${many ? 'are' : 'is'} left out, because clients would refuse the whole list`
      : `${many ? 'were' : 'was'} mended`
    return { isLeftOut, text: `${shown.join(', ')} ${action}: ${many ? 'each' : 'it'} ${problem}` }
  })
}

/** In the stateless era an answer may be a question instead of a result. */
function isPart({ resultType = 'complete' }: Body): boolean {
  return resultType !== 'complete'
}

/** Lists of one server as clients can read them: what is wrong with one definition costs no other, and is said once. */
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

const MOST_SAID = 1000
const MOST_NAMES = 20

export class ListCheck {
  readonly #config: ServerConfig
  readonly #server: string
  readonly #log: GatewayLog
  /** By list and page: what was said of it last. */
  readonly #said = new Map<string, string>()

  constructor(config: ServerConfig, log: GatewayLog) {
    this.#config = config
    this.#server = config.name
    this.#log = log
  }

  /** Asks for a page of a list. What was read before, by its text, is not read again. */
  async request(
    client: Client,
    method: string,
    params: Body | undefined,
    options: EngineRequestOptions,
  ): Promise<Body> {
    const told: { json?: string; untouched?: boolean; isKnown?: boolean } = {}
    const { onText, ifText } = options
    const asked: EngineRequestOptions = { ...options }
    if (onText !== undefined) asked.onText = (json, untouched) => Object.assign(told, { json, untouched })
    if (ifText !== undefined) asked.ifText = (json) => (told.isKnown = ifText(json))
    const answer = await client
      .request(method, params, asked)
      .catch((error: unknown) => emptyIfUnknown(method, namingSize(error, this.#config)))
    if (told.isKnown === true || isPart(answer)) return answer
    const { result, losses, bad } = this.#read(method, answer, options.relayed === true ? client : undefined)
    if (told.json !== undefined) onText?.(told.json, told.untouched === true && result === answer)
    if (losses.length > 0) client.session.reportLosses(losses)
    for (const loss of losses) options.onLoss?.(loss)
    this.#say(method, params?.['cursor'], bad)
    return result
  }

  #read(method: string, answer: Body, speaker: Client | undefined): ReadableList {
    try {
      return readableList(method, answer, speaker?.version)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      throw new ParleyError(error.kind, {
        message: `Server "${this.#server}": ${error.message}`,
        data: { server: this.#server },
      })
    }
  }

  /** Once, until something else is wrong with the same page. */
  #say(method: string, cursor: unknown, bad: readonly BadDefinition[]): void {
    const key = JSON.stringify([method, cursor])
    if (bad.length === 0) {
      this.#said.delete(key)
      return
    }
    const sentences = sentencesOf(bad)
    const whole = JSON.stringify(sentences)
    if (this.#said.get(key) === whole) return
    if (this.#said.size >= MOST_SAID) this.#said.clear()
    this.#said.set(key, whole)
    for (const { isLeftOut, text } of sentences) {
      const words = `${this.#server}: ${method}: ${text}`
      const facts = { server: this.#server, method }
      if (isLeftOut) this.#log.warning(words, facts)
      else this.#log.info(words, facts)
    }
  }
}

interface Sentence {
  readonly isLeftOut: boolean
  readonly text: string
}

/** One for each thing that is wrong, with the definitions that have it. */
function sentencesOf(bad: readonly BadDefinition[]): Sentence[] {
  const groups = new Map<string, { readonly isLeftOut: boolean; readonly problem: string; readonly names: string[] }>()
  for (const { who, problems, isLeftOut } of bad) {
    const problem = problems.join(', ')
    const group = groups.get(`${isLeftOut} ${problem}`) ?? { isLeftOut, problem, names: [] }
    groups.set(`${isLeftOut} ${problem}`, group)
    group.names.push(who)
  }
  return [...groups.values()].map(({ isLeftOut, problem, names }) => {
    const shown =
      names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`] : names
    const many = names.length > 1
    const done = isLeftOut
      ? `${many ? 'are' : 'is'} left out, because clients would refuse the whole list`
      : `${many ? 'were' : 'was'} mended`
    return { isLeftOut, text: `${shown.join(', ')} ${done}: ${many ? 'each' : 'it'} ${problem}` }
  })
}

/** In the stateless era an answer may be something else than a result. */
function isPart({ resultType = 'complete' }: Body): boolean {
  return resultType !== 'complete'
}

/** Questions inside answers. Each is over when a later request of the client brings its response. */
import { type Body, isObject } from 'parley-mcp/engine'
import { digestOf } from './receipt.ts'

/** Of all clients that share a link. The oldest are given up first. */
const MAX_OPEN_QUESTIONS = 1000

export class EmbeddedQuestions<Question> {
  /** By the state that the client returns with its responses, and the name of the question. */
  readonly #open = new Map<string, Question>()
  readonly #unanswered: (question: Question) => void

  constructor(unanswered: (question: Question) => void) {
    this.#unanswered = unanswered
  }

  ask({ inputRequests, requestState }: Body, begin: (method: string, params: Body | undefined) => Question): void {
    if (!isObject(inputRequests)) return
    for (const [name, request] of Object.entries(inputRequests)) {
      const { method, params } = isObject(request) ? request : {}
      if (typeof method === 'string')
        this.#keep(questionKey(requestState, name), begin(method, isObject(params) ? params : undefined))
    }
  }

  answeredBy(params: Body | undefined): { question: Question; response: unknown }[] {
    const responses = params?.['inputResponses']
    if (!isObject(responses) || this.#open.size === 0) return []
    return Object.entries(responses).flatMap(([name, response]) => {
      const key = questionKey(params?.['requestState'], name)
      const question = this.#open.get(key)
      this.#open.delete(key)
      return question === undefined ? [] : [{ question, response }]
    })
  }

  giveUp(): void {
    for (const question of this.#open.values()) this.#unanswered(question)
    this.#open.clear()
  }

  #keep(key: string, question: Question): void {
    const [oldest] = this.#open.has(key) ? [key] : this.#open.size < MAX_OPEN_QUESTIONS ? [] : this.#open.keys()
    const given = oldest === undefined ? undefined : this.#open.get(oldest)
    if (oldest !== undefined) this.#open.delete(oldest)
    if (given !== undefined) this.#unanswered(given)
    this.#open.set(key, question)
  }
}

/** A digest, because states may be long. */
function questionKey(state: unknown, name: string): string {
  return digestOf(JSON.stringify([state ?? null, name]))
}

/**
 * For `urlMode: "error"`: the gateway demands the links of a server of the stateless era with -32042. The client's next
 * attempt continues where the last one ended.
 */
import { createHash } from 'node:crypto'
import { ParleyError } from 'parley-mcp'
import { type Body, type Clock, type EngineRequestOptions, isObject } from 'parley-mcp/engine'
import type { AskedLink } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import type { DemandedLink } from '../client-questions.ts'

/** How long an attempt of a client is kept, in milliseconds. */
const MAX_AGE_MS = 600_000
/** How many attempts of one client are kept. */
const MAX_ATTEMPTS = 20

/** What the server gets with the client's next attempt. */
interface Attempt {
  readonly answers: Body
  readonly links: readonly AskedLink[]
  readonly expiresAt: number
}

/** The attempts of one client. */
export class LinkDemands {
  readonly #clock: Clock
  readonly #attempts = new Map<string, Attempt>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Continues where an earlier attempt ended. The call ends when the server asks for links. */
  apply(call: Call, params: Body, options: EngineRequestOptions): void {
    const key = attemptKey(call.method, params)
    const earlier = this.#take(key)
    for (const { url, elicitationId } of earlier?.links ?? []) call.links.remember(url, elicitationId).accepted = true
    const demanded = call.ensureQuestions().collectLinks()
    const write = options.write ?? JSON.stringify
    // Called before each round is sent. The answers to a demand for links are kept instead: the user has not opened the
    // links yet.
    options.write = (round) => {
      const { inputResponses, requestState } = round
      const isFirst = inputResponses === undefined && requestState === undefined
      if (isFirst) return write(earlier === undefined ? round : { ...round, ...earlier.answers })
      if (demanded.length === 0) return write(round)
      this.#keep(
        key,
        {
          ...(inputResponses !== undefined && { inputResponses }),
          ...(requestState !== undefined && { requestState }),
        },
        demanded,
      )
      throw demand(call.method, demanded)
    }
  }

  #take(key: string): Attempt | undefined {
    const attempt = this.#attempts.get(key)
    this.#attempts.delete(key)
    return attempt !== undefined && attempt.expiresAt > this.#clock.now() ? attempt : undefined
  }

  #keep(key: string, answers: Body, demanded: readonly DemandedLink[]): void {
    const now = this.#clock.now()
    this.#attempts.delete(key)
    this.#attempts.set(key, { answers, links: demanded.map(({ link }) => link), expiresAt: now + MAX_AGE_MS })
    for (const [other, { expiresAt }] of this.#attempts)
      if (expiresAt <= now || this.#attempts.size > MAX_ATTEMPTS) this.#attempts.delete(other)
  }
}

function demand(method: string, demanded: readonly DemandedLink[]): ParleyError {
  const elicitations = demanded.map(({ link: { url, elicitationId }, message }) => ({
    mode: 'url',
    elicitationId,
    url,
    message,
  }))
  return new ParleyError('url_elicitation_required', {
    message: `${method} needs the user to open a link first, and can then be tried again`,
    data: { elicitations },
  })
}

/** Equal for requests with equal parameters, in any order. `_meta` does not count. */
function attemptKey(method: string, { _meta, ...own }: Body): string {
  const inOrder = (_: string, value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value
  return createHash('sha256')
    .update(`${method} ${JSON.stringify(own, inOrder)}`)
    .digest('base64')
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

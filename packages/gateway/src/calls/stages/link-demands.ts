/**
 * For `urlMode: "error"` (8.3): links that a server of the stateless era asks for are demanded with -32042, and the
 * client's own next attempt goes on where that one ended.
 */
import { createHash } from 'node:crypto'
import { ParleyError } from 'parley-mcp'
import { type Body, type Clock, type EngineRequestOptions, isObject } from 'parley-mcp/engine'
import type { AskedLink } from '../../upstream/index.ts'
import type { Call } from '../call.ts'

/** How long a client may take until it comes back, in milliseconds. */
const KEPT_FOR = 600_000
/** Most attempts that one client may come back to. */
const MOST_KEPT = 20

/** As the client gets to see it. */
export interface DemandedLink {
  readonly link: AskedLink
  readonly message: unknown
}

/** What the server is sent when the client comes back. */
interface Kept {
  readonly answers: Body
  readonly links: readonly AskedLink[]
  readonly until: number
}

/** Of one client. */
export class LinkDemands {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Has the request go on where an earlier one like it ended, and end when the server asks for links. */
  attend(call: Call, params: Body, options: EngineRequestOptions): void {
    const key = keyOf(call.method, params)
    const kept = this.#take(key)
    for (const { url, elicitationId } of kept?.links ?? []) call.links.remember(url, elicitationId).accepted = true
    const demanded: DemandedLink[] = []
    call.demanded = demanded
    const write = options.write ?? JSON.stringify
    // Shown each round before it is sent. What answers the questions of the one before is not sent but kept: the user
    // has not been there yet.
    options.write = (round) => {
      const { inputResponses, requestState } = round
      const isFirst = inputResponses === undefined && requestState === undefined
      if (isFirst) return write(kept === undefined ? round : { ...round, ...kept.answers })
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

  #take(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    return kept !== undefined && kept.until > this.#clock.now() ? kept : undefined
  }

  #keep(key: string, answers: Body, demanded: readonly DemandedLink[]): void {
    const now = this.#clock.now()
    this.#kept.delete(key)
    this.#kept.set(key, { answers, links: demanded.map(({ link }) => link), until: now + KEPT_FOR })
    for (const [other, { until }] of this.#kept)
      if (until <= now || this.#kept.size > MOST_KEPT) this.#kept.delete(other)
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

/** Two requests are the same whatever they say of themselves, and in whatever order. */
function keyOf(method: string, { _meta, ...own }: Body): string {
  const inOrder = (_: string, value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value
  return createHash('sha256')
    .update(`${method} ${JSON.stringify(own, inOrder)}`)
    .digest('base64')
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

/**
 * Links that a server of the stateless era wants its client to open, remembered for one call: the same link is not
 * shown twice (8.3).
 */
import { Backoff, type Body } from 'parley-mcp/engine'

export interface AskedLink {
  readonly url: string
  readonly elicitationId: string
  accepted: boolean
  /** How often the server has asked again since. */
  repeats: number
  /** For how long it was not asked in between, in milliseconds. */
  waited: number
}

/** Milliseconds before a server that still waits for the user is asked again; the last one is repeated. */
const delays = new Backoff([2000, 4000, 8000, 10_000])
/** When the user is given up, in milliseconds. */
const MAX_WAIT = 600_000

export class LinkMemory {
  readonly #links = new Map<string, AskedLink>()
  /** What the server asks in one go; gathered while it does. */
  #round: Set<string> | undefined

  find(url: string): AskedLink | undefined {
    return this.#links.get(url)
  }

  /** Whether all that is asked is for links the user has opened: nobody is bothered with it again. */
  hasServedAll(questions: Iterable<{ readonly method: string; readonly params?: Body | undefined }>): boolean {
    let any = false
    for (const { method, params = {} } of questions) {
      if (!isLinkQuestion(method, params) || this.#links.get(params.url)?.accepted !== true) return false
      any = true
    }
    return any
  }

  /** Whether the user was waited for in vain at one of them. */
  isGivenUp(): boolean {
    for (const link of this.#links.values()) if (link.waited + paceOf(link) > MAX_WAIT) return true
    return false
  }

  remember(url: string, elicitationId: string): AskedLink {
    const link: AskedLink = { url, elicitationId, accepted: false, repeats: 0, waited: 0 }
    this.#links.set(url, link)
    return link
  }

  /**
   * Another question of the server. Once all that came with it have been seen, links that are not asked for any more
   * have served their purpose.
   */
  asked(url: string | undefined, onServed: (links: AskedLink[]) => void): void {
    if (this.#round === undefined) {
      const round = new Set<string>()
      this.#round = round
      queueMicrotask(() => {
        this.#round = undefined
        onServed(this.served(round))
      })
    }
    if (url !== undefined) this.#round.add(url)
  }

  /** Links that the user has opened, except these; each is named once. */
  served(except: ReadonlySet<string> = new Set()): AskedLink[] {
    const served = [...this.#links.values()].filter(({ url, accepted }) => accepted && !except.has(url))
    for (const { url } of served) this.#links.delete(url)
    return served
  }
}

export function isLinkQuestion(method: string, params: Body): params is Body & { url: string } {
  return method === 'elicitation/create' && params['mode'] === 'url' && typeof params['url'] === 'string'
}

/** How long it is waited before the next time. */
export function paceOf({ repeats }: AskedLink): number {
  return delays.delayBefore(repeats)
}

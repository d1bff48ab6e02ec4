/** Links that a server of the stateless era wants its client to open, remembered for one call: the same link is not shown twice (8.3). */
import type { Body } from 'parley-mcp/engine'

export interface AskedLink {
  readonly url: string
  readonly elicitationId: string
  accepted: boolean
  /** How often the server has asked again since. */
  repeats: number
}

/** Milliseconds before a server that still waits for the user is asked again; the last one is repeated. */
const PACE: readonly number[] = [2000, 4000, 8000, 10_000]
/** How often it is asked again before the user is given up: within ten minutes. */
const MAX_REPEATS = 61

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
    for (const { repeats } of this.#links.values()) if (repeats >= MAX_REPEATS) return true
    return false
  }

  remember(url: string, elicitationId: string): AskedLink {
    const link: AskedLink = { url, elicitationId, accepted: false, repeats: 0 }
    this.#links.set(url, link)
    return link
  }

  /** Another question of the server. Once all that came with it have been seen, links that are not asked for any more have served their purpose. */
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

export function paceOf(link: AskedLink): number {
  return PACE[Math.min(link.repeats, PACE.length - 1)] as number
}

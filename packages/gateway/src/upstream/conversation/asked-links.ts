/** The links that a server of the stateless era asks its client to open during one call. No link is shown twice. */
import { Backoff, type Body } from 'parley-mcp/engine'

/** Pauses before the gateway answers a server that still waits for the user, in milliseconds. They grow up to the last one. */
const pauses = Backoff.growing(2000, 10_000)
/** How long a call waits for the user at one link, in milliseconds. */
const MAX_WAIT_MS = 600_000

export class AskedLink {
  readonly url: string
  readonly elicitationId: string
  /** Whether the user agreed to open it. */
  accepted = false
  /** How often the server has asked again since. */
  #repeats = 0
  /** How long the gateway has paused in between, in milliseconds. */
  #waited = 0

  constructor(url: string, elicitationId: string) {
    this.url = url
    this.elicitationId = elicitationId
  }

  /** The next pause, in milliseconds. */
  get pause(): number {
    return pauses.delayBefore(this.#repeats)
  }

  get isGivenUp(): boolean {
    return this.#waited + this.pause > MAX_WAIT_MS
  }

  /** The server is answered after a pause of so many milliseconds. */
  noteRepeat(pause: number): void {
    this.#repeats++
    this.#waited += pause
  }
}

export class LinkMemory {
  readonly #links = new Map<string, AskedLink>()
  /** The URLs of the questions that arrived together. */
  #round: Set<string> | undefined

  find(url: string): AskedLink | undefined {
    return this.#links.get(url)
  }

  /** Whether every question is for a link that the user has opened. The user then does not see them again. */
  hasServedAll(questions: Iterable<{ readonly method: string; readonly params?: Body | undefined }>): boolean {
    let any = false
    for (const { method, params = {} } of questions) {
      if (!isLinkQuestion(method, params) || this.#links.get(params.url)?.accepted !== true) return false
      any = true
    }
    return any
  }

  /** Whether the call has waited too long at one of the links. */
  isGivenUp(): boolean {
    for (const link of this.#links.values()) if (link.isGivenUp) return true
    return false
  }

  remember(url: string, elicitationId: string): AskedLink {
    const link = new AskedLink(url, elicitationId)
    this.#links.set(url, link)
    return link
  }

  /**
   * Notes another question of the server. A link is served when the questions that arrive together no longer ask for
   * it.
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

  /** The links that the user has opened, except these. Returns each link once. */
  served(except: ReadonlySet<string> = new Set()): AskedLink[] {
    const served = [...this.#links.values()].filter(({ url, accepted }) => accepted && !except.has(url))
    for (const { url } of served) this.#links.delete(url)
    return served
  }
}

export function isLinkQuestion(method: string, params: Body): params is Body & { url: string } {
  return method === 'elicitation/create' && params['mode'] === 'url' && typeof params['url'] === 'string'
}

/** The roots of the client behind a conversation, for servers that ask for them outside of any call (8.2, the roots trick). */
import type { Body, Inbound, Session } from 'parley-mcp/engine'

/** How long a server may take, in milliseconds, to say what a call has to wait for. */
const PATIENCE = 1000
/** For one that has let that time pass before. */
const LITTLE_PATIENCE = 50

export class ConversationRoots {
  /** As the client said last. */
  known: Body | undefined
  /** The server asked when nobody could be. */
  wanted = false
  /** Set while the server may still be about to ask, as many do as soon as they are spoken to. */
  heard: Promise<void> | undefined
  /** Those that were just found out for a request, and that the server has been told to ask for. */
  #fresh: { readonly roots: Body; readonly request: Inbound } | undefined
  /** By request: the server may still be about to ask. */
  readonly #awaited = new Map<Inbound, () => void>()

  /** What the server asked before it answers this, it asked before any call. */
  hear(session: Session): void {
    const done = (): void => {
      this.heard = undefined
    }
    this.heard = session.ping({ timeout: PATIENCE }).then(done, done)
  }

  /**
   * For the question that the server was told to ask. `request`: the one it seems to be about. Of another client's
   * request they may be others.
   */
  takeFresh(question: Inbound, request: object): Body | undefined {
    const fresh = this.#fresh
    if (fresh === undefined) return undefined
    const isAwaited = this.#awaited.has(fresh.request) && !namesRequest(question)
    if (request !== fresh.request && !isAwaited) return undefined
    this.#fresh = undefined
    this.#answer(question)
    return fresh.roots
  }

  /** The request is over, and what was found out for it is known like anything else. */
  end(request: Inbound): void {
    if (this.#fresh?.request === request) this.#fresh = undefined
  }

  /** For a question while nobody can be asked. `wanted`: somebody can be later. */
  withoutClient(question: Inbound, wanted: boolean): Body {
    this.wanted = wanted && this.known === undefined
    this.#answer(question)
    return this.known ?? { roots: [] }
  }

  /**
   * Has the server ask anew, and tells whether it did. Kept when it has its answer, takes too long, or the request for
   * which all this is done is not wanted any more.
   */
  async change(roots: Body, session: Session, request: Inbound, patient: boolean): Promise<boolean> {
    this.known = roots
    this.wanted = false
    this.#fresh = { roots, request }
    const asked = await new Promise<boolean>((resolve) => {
      const end = (isAnswered: boolean): void => {
        this.#awaited.delete(request)
        for (const stop of stops) stop()
        resolve(isAnswered)
      }
      this.#awaited.set(request, () => end(true))
      const stops = [session.clock.after(patient ? PATIENCE : LITTLE_PATIENCE, () => end(false))]
      stops.push(request.onCancel(() => end(false)))
      if (!session.notify('notifications/roots/list_changed', {})) end(false)
    })
    // Over HTTP the answer is on a way of its own, on which the call could overtake it.
    if (asked && session.transport === 'http') this.hear(session)
    await this.heard
    return asked
  }

  /** What a question is about that names its request is not what the server was told to ask. */
  #answer(question: Inbound): void {
    if (namesRequest(question)) return
    this.#fresh = undefined
    if (this.#awaited.size === 0) return
    question.afterAnswer(() => {
      for (const answered of [...this.#awaited.values()]) answered()
    })
  }
}

/** Over HTTP: it has come with the answer to that request. */
function namesRequest({ within }: Inbound): boolean {
  return within === true
}

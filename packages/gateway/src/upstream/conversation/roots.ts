/** The roots of the client behind a conversation, for servers that ask for them outside of any call. */
import type { Body, Inbound, Session } from 'parley-mcp/engine'

/** How long a server may take to ask for changed roots, in milliseconds. */
const MAX_WAIT_MS = 1000
/** The same for a server that has not asked in that time before. */
const SHORT_WAIT_MS = 50

export class ConversationRoots {
  #known: Body | undefined
  #isWanted = false
  #mayStillAsk: Promise<void> | undefined
  /** Roots that the client has just named for a request. The server has been told to ask for them. */
  #fresh: { readonly roots: Body; readonly request: Inbound } | undefined
  /** The requests that wait until the server has asked. */
  readonly #waiting = new Map<Inbound, () => void>()

  /** What the client said last. */
  get known(): Body | undefined {
    return this.#known
  }

  /** Whether the server asked while no client could be asked. */
  get isWanted(): boolean {
    return this.#isWanted
  }

  /** Set while the server may be about to ask, as many servers do right after the handshake. */
  get mayStillAsk(): Promise<void> | undefined {
    return this.#mayStillAsk
  }

  learn(roots: Body): void {
    this.#known = roots
  }

  /** The client says that they have changed. */
  forget(): void {
    this.#known = undefined
  }

  /** A server asks before it answers a ping that follows. */
  awaitQuestion(session: Session): void {
    const done = (): void => {
      this.#mayStillAsk = undefined
    }
    this.#mayStillAsk = session.ping({ timeout: MAX_WAIT_MS }).then(done, done)
  }

  /**
   * The fresh roots, for the question that the server was told to ask. `request`: the request that the question seems
   * to be about. Another client may have made it, with other roots.
   */
  takeFresh(question: Inbound, request: object): Body | undefined {
    const fresh = this.#fresh
    if (fresh === undefined) return undefined
    const isAwaited = this.#waiting.has(fresh.request) && !namesRequest(question)
    if (request !== fresh.request && !isAwaited) return undefined
    this.#fresh = undefined
    this.#noteAnswer(question)
    return fresh.roots
  }

  /** The request is over. Its fresh roots are now only the known ones. */
  end(request: Inbound): void {
    if (this.#fresh?.request === request) this.#fresh = undefined
  }

  /** Answers while no client can be asked. `canAskLater`: whether a client can be asked within its next call. */
  withoutClient(question: Inbound, canAskLater: boolean): Body {
    this.#isWanted = canAskLater && this.#known === undefined
    this.#noteAnswer(question)
    return this.#known ?? { roots: [] }
  }

  /**
   * Tells the server to ask again. Resolves with true when the server has its answer. Resolves with false when the
   * server takes too long, or when the request is cancelled.
   */
  async change(roots: Body, session: Session, request: Inbound, expectsQuestion: boolean): Promise<boolean> {
    this.#known = roots
    this.#isWanted = false
    this.#fresh = { roots, request }
    const hasAsked = await new Promise<boolean>((resolve) => {
      const end = (isAnswered: boolean): void => {
        this.#waiting.delete(request)
        for (const stop of stops) stop()
        resolve(isAnswered)
      }
      this.#waiting.set(request, () => end(true))
      const stops = [session.clock.after(expectsQuestion ? MAX_WAIT_MS : SHORT_WAIT_MS, () => end(false))]
      stops.push(request.onCancel(() => end(false)))
      if (!session.notify('notifications/roots/list_changed', {})) end(false)
    })
    // Over HTTP the call could overtake the answer, which is a request of its own.
    if (hasAsked && session.transport === 'http') this.awaitQuestion(session)
    await this.#mayStillAsk
    return hasAsked
  }

  /** A question that names its request is not the one that the server was told to ask. */
  #noteAnswer(question: Inbound): void {
    if (namesRequest(question)) return
    this.#fresh = undefined
    if (this.#waiting.size === 0) return
    question.afterAnswer(() => {
      for (const answered of [...this.#waiting.values()]) answered()
    })
  }
}

/** Over HTTP, a question arrives in the answer to the request that it is about. */
function namesRequest({ within }: Inbound): boolean {
  return within === true
}

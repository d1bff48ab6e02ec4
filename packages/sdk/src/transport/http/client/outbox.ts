/** Sends frames to a server, each in its own POST, with time limits, and in order where that matters. */
import { Bag, type BagEntry, IdTable } from '../../../collections/index.ts'
import { ParleyError } from '../../../errors/index.ts'
import type { RequestId, SendOptions } from '../../../jsonrpc/index.ts'
import type { HttpReply } from './call.ts'
import { postFailure } from './failure.ts'
import { answersIn, isStateless, readOutgoing } from './frames.ts'
import { LazyAbortController } from './lazy-abort-controller.ts'
import type { HttpHeaders, HttpLinkSettings } from './options.ts'

/** One POST. */
export interface Posting {
  readonly method: string | undefined
  /** The requests in the frame. Answered and cancelled ones no longer wait. */
  readonly requests: readonly RequestId[]
  /** The headers that repeat parts of the frame. */
  readonly headers: HttpHeaders | undefined
  /** The message belongs to no session, and only the response to it can answer it. */
  readonly stateless: boolean
  readonly abortController: LazyAbortController
}

export interface OutboxOwner {
  post(frame: string, posting: Posting): Promise<HttpReply>
  /** Reads the response. The requests that still wait fail with the error that it throws. */
  handleReply(reply: HttpReply, posting: Posting): Promise<void>
  /** A request failed. `undefined`: a frame without requests. */
  failed(request: RequestId | undefined, error: unknown): void
}

/** How long a server may keep a response open after the answer. */
const MAX_TIME_AFTER_ANSWER_MS = 5000

class OpenPosting implements Posting, BagEntry {
  bagIndex: number | undefined
  readonly method: string | undefined
  readonly requests: readonly RequestId[]
  readonly headers: HttpHeaders | undefined
  readonly stateless: boolean
  readonly abortController = new LazyAbortController()
  cancelTimer: (() => void) | undefined

  constructor(method: string | undefined, requests: readonly RequestId[], options: SendOptions | undefined) {
    this.method = method
    this.requests = requests
    this.headers = options?.headers
    this.stateless = isStateless(options)
  }
}

export class Outbox {
  readonly #settings: HttpLinkSettings
  readonly #owner: OutboxOwner
  readonly #waiting = new IdTable<OpenPosting>()
  readonly #open = new Bag<OpenPosting>()
  /** By request of the server: the last frame about it. Later frames must not overtake it. */
  #lastFrames: Map<RequestId, Promise<void>> | undefined
  /** New frames wait for this. */
  #gate: Promise<void> | undefined
  /** Set by `finish`. */
  #onEmpty: (() => void) | undefined

  constructor(settings: HttpLinkSettings, owner: OutboxOwner) {
    this.#settings = settings
    this.#owner = owner
  }

  send(frame: string, options: SendOptions | undefined): void {
    const { requests, method, cancels } = readOutgoing(frame)
    if (cancels !== undefined) this.withdraw(cancels)
    const posting = new OpenPosting(method, requests, options)
    for (const id of requests) this.#waiting.set(id, posting)
    this.#open.add(posting)
    const relatedTo = requests.length === 0 ? options?.relatedTo : undefined
    const done = this.#deliver(
      frame,
      posting,
      (relatedTo === undefined ? undefined : this.#lastFrames?.get(relatedTo)) ?? this.#gate,
    )
    if (relatedTo !== undefined && options?.final === true) this.#lastFrames?.delete(relatedTo)
    else if (relatedTo !== undefined) {
      this.#lastFrames ??= new Map()
      this.#lastFrames.set(relatedTo, done)
    }
    // Later frames need an open session, and POSTs can overtake each other.
    if (method === 'notifications/initialized') this.hold(done)
  }

  /** Later frames wait for this promise. */
  hold(until: Promise<void>): void {
    const gate = until.then(() => {
      if (this.#gate === gate) this.#gate = undefined
    })
    this.#gate = gate
  }

  /** Whether a request of this posting still waits for its answer. */
  isWaiting(posting: Posting): boolean {
    return posting.requests.some((id) => this.#waiting.get(id) === posting)
  }

  /** Notes which requests a received frame answers. `mayContinue`: the response may have more frames. */
  received(frame: string, mayContinue: boolean): void {
    if (this.#waiting.size === 0) return
    for (const id of answersIn(frame)) {
      const posting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (mayContinue && posting !== undefined && !this.isWaiting(posting))
        this.#limit(posting, MAX_TIME_AFTER_ANSWER_MS, undefined)
    }
  }

  /** Aborts the POST of a request, unless other requests in it wait. The request gets no answer and no error. */
  withdraw(id: RequestId): void {
    const posting = this.#waiting.get(id)
    if (posting === undefined) return
    this.#waiting.delete(id)
    if (!this.isWaiting(posting)) this.#stop(posting)
  }

  /** No more frames will be sent about this request of the server. */
  abandon(request: RequestId): void {
    this.#lastFrames?.delete(request)
  }

  /**
   * Aborts the POSTs that wait for an answer. Others, such as cancellations, may still arrive: the promise resolves
   * when they have or when their time is over. `undefined` if there are none.
   */
  finish(): Promise<void> | undefined {
    this.#waiting.clear()
    this.#lastFrames = undefined
    for (const posting of this.#open.all()) if (posting.requests.length > 0) this.#stop(posting)
    if (this.#open.size === 0) return undefined
    return new Promise((resolve) => {
      const { clock, closeTimeout } = this.#settings
      const end = (): void => {
        this.#onEmpty = undefined
        cancel()
        this.close()
        resolve()
      }
      const cancel = clock.after(closeTimeout, end)
      this.#onEmpty = end
    })
  }

  close(): void {
    this.#waiting.clear()
    this.#lastFrames = undefined
    for (const posting of this.#open.all()) this.#stop(posting)
  }

  async #deliver(frame: string, posting: OpenPosting, before: Promise<void> | undefined): Promise<void> {
    try {
      if (before !== undefined) await before
      if (posting.abortController.aborted) return
      if (posting.requests.length === 0) this.#limit(posting, this.#settings.acceptTimeout, notAccepted)
      await this.#owner.handleReply(await this.#post(frame, posting), posting)
    } catch (error) {
      this.#fail(posting, error)
    } finally {
      posting.cancelTimer?.()
      this.#open.delete(posting)
      for (const id of posting.requests) if (this.#waiting.get(id) === posting) this.#waiting.delete(id)
      if (this.#onEmpty !== undefined && this.#open.size === 0) this.#onEmpty()
    }
  }

  async #post(frame: string, posting: OpenPosting): Promise<HttpReply> {
    try {
      return await this.#owner.post(frame, posting)
    } catch (error) {
      throw postFailure(error)
    }
  }

  #fail(posting: OpenPosting, error: unknown): void {
    if (posting.requests.length === 0 && this.#open.has(posting)) this.#owner.failed(undefined, error)
    for (const id of posting.requests) {
      if (this.#waiting.get(id) !== posting) continue
      this.#waiting.delete(id)
      this.#owner.failed(id, error)
    }
  }

  #limit(posting: OpenPosting, ms: number, why: ((ms: number) => ParleyError) | undefined): void {
    posting.cancelTimer?.()
    posting.cancelTimer = this.#settings.clock.after(ms, () => posting.abortController.abort(why?.(ms)))
  }

  #stop(posting: OpenPosting): void {
    this.#open.delete(posting)
    posting.cancelTimer?.()
    posting.abortController.abort()
  }
}

function notAccepted(ms: number): ParleyError {
  return new ParleyError('transport_error', { message: `The server did not accept the message within ${ms} ms` })
}

/** Frames on their way to a server, each in its own POST: in order where order matters, and none of them for ever. */
import { Bag, type BagEntry, IdTable } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import type { RequestId, SendOptions } from '../../jsonrpc/index.ts'
import type { HttpReply } from './client-call.ts'
import { noteUnsent } from './client-failure.ts'
import { answersIn, isStateless, readOutgoing } from './client-frames.ts'
import type { HttpHeaders, HttpLinkSettings } from './client-options.ts'
import { Hangup } from './hangup.ts'

/** One POST and what becomes of it. */
export interface Posting {
  readonly method: string | undefined
  /** Requests in the frame; those answered or taken back are no longer waiting. */
  readonly requests: readonly RequestId[]
  /** What the frame says in its headers as well. */
  readonly headers: HttpHeaders | undefined
  /** It belongs to no session, and its answer comes in the response to it or not at all. */
  readonly stateless: boolean
  readonly hangup: Hangup
}

export interface OutboxOwner {
  post(frame: string, posting: Posting): Promise<HttpReply>
  /** Makes of the response what it is; whatever it throws is why the requests still waiting have failed. */
  take(reply: HttpReply, posting: Posting): Promise<void>
  /** For one request, or for a frame that was none. */
  failed(request: RequestId | undefined, error: unknown): void
}

/** How long a server may leave a response open when the answer in it has come. */
const AFTER_ANSWER = 5000

class Postage implements Posting, BagEntry {
  bagIndex: number | undefined
  readonly method: string | undefined
  readonly requests: readonly RequestId[]
  readonly headers: HttpHeaders | undefined
  readonly stateless: boolean
  readonly hangup = new Hangup()
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
  readonly #waiting = new IdTable<Postage>()
  readonly #open = new Bag<Postage>()
  /** The last frame about a request of the server's that is still under way: those behind it must not overtake it. */
  #lanes: Map<RequestId, Promise<void>> | undefined
  #gate: Promise<void> | undefined
  /** Set while it is finishing. */
  #onEmpty: (() => void) | undefined

  constructor(settings: HttpLinkSettings, owner: OutboxOwner) {
    this.#settings = settings
    this.#owner = owner
  }

  send(frame: string, options: SendOptions | undefined): void {
    const { requests, method, cancels } = readOutgoing(frame)
    if (cancels !== undefined) this.withdraw(cancels)
    const postage = new Postage(method, requests, options)
    for (const id of requests) this.#waiting.set(id, postage)
    this.#open.add(postage)
    const relatedTo = requests.length === 0 ? options?.relatedTo : undefined
    const done = this.#deliver(
      frame,
      postage,
      (relatedTo === undefined ? undefined : this.#lanes?.get(relatedTo)) ?? this.#gate,
    )
    if (relatedTo !== undefined && options?.final === true) this.#lanes?.delete(relatedTo)
    else if (relatedTo !== undefined) {
      this.#lanes ??= new Map()
      this.#lanes.set(relatedTo, done)
    }
    // What comes after it must find the session open, and POSTs overtake each other.
    if (method === 'notifications/initialized') this.hold(done)
  }

  /** Frames sent from now on wait for this to be over. */
  hold(until: Promise<void>): void {
    const gate = until.then(() => {
      if (this.#gate === gate) this.#gate = undefined
    })
    this.#gate = gate
  }

  /** Whether an answer to this posting is still to come. */
  isWaiting(posting: Posting): boolean {
    return posting.requests.some((id) => this.#waiting.get(id) === posting)
  }

  /** Notes which requests a received frame answers; `goesOn`: more may come in the same response. */
  received(frame: string, goesOn: boolean): void {
    if (this.#waiting.size === 0) return
    for (const id of answersIn(frame)) {
      const postage = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (goesOn && postage !== undefined && !this.isWaiting(postage)) this.#limit(postage, AFTER_ANSWER, undefined)
    }
  }

  /** Hangs up on the POST of a request, unless others in it still wait; it is heard of no more. */
  withdraw(id: RequestId): void {
    const postage = this.#waiting.get(id)
    if (postage === undefined) return
    this.#waiting.delete(id)
    if (!this.isWaiting(postage)) this.#stop(postage)
  }

  /** No more frames will come about this request of the server's. */
  abandon(request: RequestId): void {
    this.#lanes?.delete(request)
  }

  /**
   * Hangs up on what waits for an answer. What wants none may still arrive, such as the word that a request was taken
   * back: kept when it has, or has had its time; `undefined` when there is nothing of the kind.
   */
  finish(): Promise<void> | undefined {
    this.#waiting.clear()
    this.#lanes = undefined
    for (const postage of this.#open.all()) if (postage.requests.length > 0) this.#stop(postage)
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
    this.#lanes = undefined
    for (const postage of this.#open.all()) this.#stop(postage)
  }

  async #deliver(frame: string, postage: Postage, before: Promise<void> | undefined): Promise<void> {
    try {
      if (before !== undefined) await before
      if (postage.hangup.aborted) return
      if (postage.requests.length === 0) this.#limit(postage, this.#settings.acceptTimeout, notAccepted)
      await this.#owner.take(await this.#post(frame, postage), postage)
    } catch (error) {
      this.#fail(postage, error)
    } finally {
      postage.cancelTimer?.()
      this.#open.delete(postage)
      for (const id of postage.requests) if (this.#waiting.get(id) === postage) this.#waiting.delete(id)
      if (this.#onEmpty !== undefined && this.#open.size === 0) this.#onEmpty()
    }
  }

  async #post(frame: string, postage: Postage): Promise<HttpReply> {
    try {
      return await this.#owner.post(frame, postage)
    } catch (error) {
      noteUnsent(error)
      throw error
    }
  }

  #fail(postage: Postage, error: unknown): void {
    if (postage.requests.length === 0 && this.#open.has(postage)) this.#owner.failed(undefined, error)
    for (const id of postage.requests) {
      if (this.#waiting.get(id) !== postage) continue
      this.#waiting.delete(id)
      this.#owner.failed(id, error)
    }
  }

  #limit(postage: Postage, ms: number, why: ((ms: number) => ParleyError) | undefined): void {
    postage.cancelTimer?.()
    postage.cancelTimer = this.#settings.clock.after(ms, () => postage.hangup.abort(why?.(ms)))
  }

  #stop(postage: Postage): void {
    this.#open.delete(postage)
    postage.cancelTimer?.()
    postage.hangup.abort()
  }
}

function notAccepted(ms: number): ParleyError {
  return new ParleyError('transport_error', { message: `The server did not accept the message within ${ms} ms` })
}

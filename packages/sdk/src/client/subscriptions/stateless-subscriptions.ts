/**
 * Subscriptions of the stateless era: one stream for all resources and lists. A change of the wanted set replaces the
 * stream, and a lost stream is reopened (D-19, D-29).
 */
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import type { Clock, Session } from '../../session/index.ts'
import type { Backoff } from '../../timing/index.ts'
import type { EraSubscriptions, RefusedSubscription } from './era-subscriptions.ts'
import { missingCapability } from './missing-capability.ts'
import { acceptedOf, filterOf, isEmpty, isSame, type ListKind, type Subjects } from './subjects.ts'

export interface StatelessSubscriptionsHost {
  session(): Session
  readonly clock: Clock
  readonly random: () => number
  readonly backoff: Backoff
  /** The lists that have a notification handler. */
  lists(): readonly ListKind[]
  /** There was no stream for a while, so changes of these may have been missed. */
  mayHaveMissed(subjects: Subjects): void
  onError(error: unknown): void
}

/** A wanted resource. `waiting` until the server first accepts it, `refused` if it does not. */
interface WantedResource {
  waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined
  refused: Error | undefined
}

interface Stream {
  readonly session: Session
  readonly accepted: Subjects
  readonly since: number
  readonly abort: AbortController
}

/** Errors that a retry does not fix. A retry with wrong credentials could also lock an account. */
const PERMANENT_ERRORS: ReadonlySet<ErrorKind> = new Set(['method_not_found', 'unauthorized', 'forbidden'])

export class StatelessSubscriptions implements EraSubscriptions {
  readonly #host: StatelessSubscriptionsHost
  readonly #resources = new Map<string, WantedResource>()
  /** Lists with a declared capability that the server did not accept. */
  #refusedLists: Set<ListKind> | undefined
  /** A new session that the host does not use yet. */
  #next: Session | undefined
  #current: Stream | undefined
  /** Aborts the stream that is being opened. Only one is opened at a time. */
  #opening: AbortController | undefined
  #scheduled = false
  #failures = 0
  #cancelTimer: (() => void) | undefined
  /** Whether a wanted stream was missing for a while. */
  #gap = false

  constructor(host: StatelessSubscriptionsHost) {
    this.#host = host
  }

  get #session(): Session {
    return this.#next ?? this.#host.session()
  }

  subscribe(uri: string): Promise<void> {
    const breach = missingCapability(this.#session, 'resources/subscribe')
    if (breach !== undefined) return Promise.reject(breach)
    return new Promise((resolve, reject) => {
      this.#resources.set(uri, { waiting: { resolve, reject }, refused: undefined })
      this.listenersChanged()
    })
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#resources.delete(uri)) this.listenersChanged()
  }

  /** Sends without delay, so that the request is the first on the new session. */
  async restore(session: Session, uris: readonly string[]): Promise<readonly RefusedSubscription[]> {
    this.#next = session
    this.#cancelRetry()
    this.#opening?.abort()
    this.#opening = undefined
    this.#refusedLists = undefined
    // The client calls the handlers after a restore anyway.
    this.#gap = false
    const breach = missingCapability(session, 'resources/subscribe')
    for (const uri of uris) this.#resources.set(uri, { waiting: undefined, refused: breach })
    const failure = await this.#update(session)
    return uris.flatMap((uri) => {
      const error = this.#resources.get(uri)?.refused ?? failure
      return error === undefined ? [] : [{ uri, error }]
    })
  }

  /** Collects changes of one turn. */
  listenersChanged(): void {
    // A change ends the wait for the next attempt.
    this.#cancelRetry()
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      void this.#update(this.#session)
    })
  }

  stop(): void {
    this.#cancelRetry()
    this.#opening?.abort()
    this.#opening = undefined
    this.#drop(this.#current)
    this.#next = undefined
    this.#rejectWaiting(
      new ParleyError('session_closed', { message: 'The subscription ended because its session has ended' }),
    )
    this.#resources.clear()
  }

  /** Opens, replaces or closes the stream, unless one is being opened. Returns the error of a failure. */
  async #update(session: Session): Promise<Error | undefined> {
    if (session.stateful || this.#opening !== undefined) return undefined
    if (!session.open)
      return this.#rejectWaiting(new ParleyError('session_closed', { message: 'The session has ended' }))
    const wanted = this.#wanted(session)
    if (isEmpty(wanted)) return this.#drop(this.#current)
    if (this.#current?.session === session && isSame(this.#current.accepted, wanted)) return undefined
    return await this.#open(session, wanted)
  }

  #wanted(session: Session): Subjects {
    const lists = this.#host
      .lists()
      .filter((kind) => session.hasPeerCapability(`${kind}.listChanged`) && this.#refusedLists?.has(kind) !== true)
    const uris = [...this.#resources].filter(([, { refused }]) => refused === undefined).map(([uri]) => uri)
    return { lists: new Set(lists), uris: new Set(uris) }
  }

  async #open(session: Session, wanted: Subjects): Promise<Error | undefined> {
    const abort = new AbortController()
    this.#opening = abort
    let ended: Promise<void>
    let accepted: Subjects
    try {
      // Drops the old stream immediately, so that no change is reported twice.
      const onAcknowledged = (): void => {
        if (this.#opening === abort) this.#drop(this.#current)
      }
      const listening = session.listen(filterOf(wanted), { signal: abort.signal, onAcknowledged })
      ended = listening.ended
      // Handled below. Earlier failures also reject `acknowledged`.
      ended.catch(() => {})
      accepted = acceptedOf(wanted, await listening.acknowledged)
    } catch (error) {
      abort.abort()
      return this.#opening === abort ? this.#failed(session, wanted, error as Error) : undefined
    }
    if (this.#opening !== abort) {
      // Another session replaced this one, or the stream is no longer wanted.
      abort.abort()
      return undefined
    }
    this.#opening = undefined
    const stream: Stream = { session, accepted, since: this.#host.clock.now(), abort }
    this.#current = stream
    ended.then(
      () => this.#lost(stream),
      () => this.#lost(stream),
    )
    this.#settle(wanted, accepted)
    return undefined
  }

  #settle(wanted: Subjects, accepted: Subjects): void {
    for (const kind of wanted.lists) {
      if (accepted.lists.has(kind)) continue
      this.#refusedLists ??= new Set()
      this.#refusedLists.add(kind)
    }
    const acceptedBefore = new Set(
      [...accepted.uris].filter((uri) => this.#resources.has(uri) && this.#resources.get(uri)?.waiting === undefined),
    )
    for (const uri of wanted.uris) this.#settleResource(uri, accepted.uris.has(uri))
    if (this.#gap) this.#host.mayHaveMissed({ lists: accepted.lists, uris: acceptedBefore })
    this.#gap = false
    void this.#update(this.#session)
  }

  #settleResource(uri: string, isAccepted: boolean): void {
    const resource = this.#resources.get(uri)
    if (resource === undefined) return
    const { waiting } = resource
    resource.waiting = undefined
    if (isAccepted) return waiting?.resolve()
    const error = new ParleyError('subscription_failed', {
      message: `The server does not tell of changes to ${uri.slice(0, 200)}`,
      data: { uri },
    })
    if (waiting === undefined) resource.refused = error
    else this.#resources.delete(uri)
    waiting?.reject(error)
  }

  #failed(session: Session, tried: Subjects, error: Error): Error {
    this.#opening = undefined
    // The previous session waits for its stream to end.
    if (this.#current !== undefined && this.#current.session !== session) this.#drop(this.#current)
    // The next session subscribes again.
    if (!session.open) {
      this.#rejectWaiting(error)
      return error
    }
    this.#rejectWaiting(error, tried.uris)
    const wanted = this.#wanted(session)
    if (isEmpty(wanted) || (this.#current !== undefined && isSame(this.#current.accepted, wanted))) {
      void this.#update(session)
      return error
    }
    this.#host.onError(error)
    if (this.#current === undefined) this.#gap = true
    if ([...this.#resources.values()].some(({ waiting }) => waiting !== undefined)) void this.#update(session)
    else if (!(error instanceof ParleyError && PERMANENT_ERRORS.has(error.kind))) this.#scheduleRetry()
    return error
  }

  /** Ended by the server, or broken. */
  #lost(stream: Stream): void {
    if (this.#current !== stream) return
    this.#current = undefined
    if (!stream.session.open) return
    this.#gap = true
    if (this.#opening !== undefined) return
    if (this.#host.clock.now() - stream.since >= this.#host.backoff.longest) this.#failures = 0
    if (!isEmpty(this.#wanted(stream.session))) this.#scheduleRetry()
  }

  #scheduleRetry(): void {
    const { clock, random, backoff } = this.#host
    this.#cancelRetry()
    // The timer keeps the process alive, as an open stream does.
    this.#cancelTimer = clock.after(
      backoff.delayBefore(this.#failures++, random()),
      () => void this.#update(this.#session),
      true,
    )
  }

  #cancelRetry(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #drop(stream: Stream | undefined): undefined {
    if (stream === this.#current) this.#current = undefined
    stream?.abort.abort()
  }

  /** Rejects subscriptions that the server has not accepted yet. `uris`: default all. */
  #rejectWaiting(error: Error, uris: Iterable<string> = [...this.#resources.keys()]): undefined {
    for (const uri of uris) {
      const waiting = this.#resources.get(uri)?.waiting
      if (waiting === undefined) continue
      this.#resources.delete(uri)
      waiting.reject(error)
    }
  }
}

/**
 * Following resources and lists in the stateless era: one stream for everything that is wanted, replaced when that
 * changes and reopened when it is lost (D-19, D-29).
 */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { Clock, Session } from '../session/index.ts'
import type { Backoff } from '../timing/index.ts'
import type { Following, Refused } from './following.ts'
import { filterOf, grantedOf, isEmpty, isSame, type ListKind, type News } from './news.ts'
import { undeclared } from './undeclared.ts'

export interface ListeningHost {
  session(): Session
  readonly clock: Clock
  readonly random: () => number
  readonly backoff: Backoff
  /** The lists somebody has a handler for. */
  lists(): readonly ListKind[]
  /** For a while nobody listened: these may have changed. */
  missed(news: News): void
  onError(error: unknown): void
}

/** A resource that is wanted: `waiting` until the server has agreed once, `refused` when it has not. */
interface Want {
  waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined
  refused: Error | undefined
}

interface Stream {
  readonly session: Session
  readonly granted: News
  readonly since: number
  readonly abort: AbortController
}

/**
 * A server that does not know the method will not learn it, and knocking again without the right credentials may lock
 * an account.
 */
const FUTILE: ReadonlySet<ErrorKind> = new Set(['method_not_found', 'unauthorized', 'forbidden'])

export class Listening implements Following {
  readonly #host: ListeningHost
  readonly #wants = new Map<string, Want>()
  /** Lists the server announces and yet did not agree to tell of. */
  #refusedLists: Set<ListKind> | undefined
  /** Set when a session is about to become the host's. */
  #next: Session | undefined
  #current: Stream | undefined
  /** The stream that is to take its place; one at a time. */
  #opening: AbortController | undefined
  #scheduled = false
  #failures = 0
  #cancelTimer: (() => void) | undefined
  /** Whether there was a time without a stream although one was wanted. */
  #gap = false

  constructor(host: ListeningHost) {
    this.#host = host
  }

  get #session(): Session {
    return this.#next ?? this.#host.session()
  }

  follow(uri: string): Promise<void> {
    const breach = undeclared(this.#session, 'resources/subscribe')
    if (breach !== undefined) return Promise.reject(breach)
    return new Promise((resolve, reject) => {
      this.#wants.set(uri, { waiting: { resolve, reject }, refused: undefined })
      this.reconsider()
    })
  }

  async unfollow(uri: string): Promise<void> {
    if (this.#wants.delete(uri)) this.reconsider()
  }

  /** At once, so that it is the first on the new session. */
  async restore(session: Session, uris: readonly string[]): Promise<readonly Refused[]> {
    this.#next = session
    this.#stopWaiting()
    this.#opening?.abort()
    this.#opening = undefined
    this.#refusedLists = undefined
    // Whoever restores tells everybody to look again.
    this.#gap = false
    const breach = undeclared(session, 'resources/subscribe')
    for (const uri of uris) this.#wants.set(uri, { waiting: undefined, refused: breach })
    const failure = await this.#bringAbout(session)
    return uris.flatMap((uri) => {
      const error = this.#wants.get(uri)?.refused ?? failure
      return error === undefined ? [] : [{ uri, error }]
    })
  }

  /** What changes in one turn changes together. */
  reconsider(): void {
    // Somebody wants something now; that is worth an attempt before its time.
    this.#stopWaiting()
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      void this.#bringAbout(this.#session)
    })
  }

  stop(): void {
    this.#stopWaiting()
    this.#opening?.abort()
    this.#opening = undefined
    this.#drop(this.#current)
    this.#next = undefined
    this.#rejectWaiting(
      new ParleyError('session_closed', { message: 'The subscription was given up: its session has ended' }),
    )
    this.#wants.clear()
  }

  /** Makes the stream what is wanted now, unless that is under way; gives why that failed. */
  async #bringAbout(session: Session): Promise<Error | undefined> {
    if (session.stateful || this.#opening !== undefined) return undefined
    if (!session.open)
      return this.#rejectWaiting(new ParleyError('session_closed', { message: 'The session has ended' }))
    const wanted = this.#wanted(session)
    if (isEmpty(wanted)) return this.#drop(this.#current)
    if (this.#current?.session === session && isSame(this.#current.granted, wanted)) return undefined
    return await this.#open(session, wanted)
  }

  #wanted(session: Session): News {
    const lists = this.#host
      .lists()
      .filter((kind) => session.hasPeerCapability(`${kind}.listChanged`) && this.#refusedLists?.has(kind) !== true)
    const uris = [...this.#wants].filter(([, { refused }]) => refused === undefined).map(([uri]) => uri)
    return { lists: new Set(lists), uris: new Set(uris) }
  }

  async #open(session: Session, wanted: News): Promise<Error | undefined> {
    const abort = new AbortController()
    this.#opening = abort
    let ended: Promise<void>
    let granted: News
    try {
      // At once, so that what both streams tell is heard on one of them.
      const onAcknowledged = (): void => {
        if (this.#opening === abort) this.#drop(this.#current)
      }
      const listening = session.listen(filterOf(wanted), { signal: abort.signal, onAcknowledged })
      ended = listening.ended
      // Watched below; what fails before it is agreed to is told by the agreement.
      ended.catch(() => {})
      granted = grantedOf(wanted, await listening.acknowledged)
    } catch (error) {
      abort.abort()
      return this.#opening === abort ? this.#failed(session, wanted, error as Error) : undefined
    }
    if (this.#opening !== abort) {
      // Another session has taken over, or nobody listens any more.
      abort.abort()
      return undefined
    }
    this.#opening = undefined
    const stream: Stream = { session, granted, since: this.#host.clock.now(), abort }
    this.#current = stream
    ended.then(
      () => this.#lost(stream),
      () => this.#lost(stream),
    )
    this.#settle(wanted, granted)
    return undefined
  }

  #settle(asked: News, granted: News): void {
    for (const kind of asked.lists) {
      if (granted.lists.has(kind)) continue
      this.#refusedLists ??= new Set()
      this.#refusedLists.add(kind)
    }
    const known = new Set(
      [...granted.uris].filter((uri) => this.#wants.has(uri) && this.#wants.get(uri)?.waiting === undefined),
    )
    for (const uri of asked.uris) this.#settleWant(uri, granted.uris.has(uri))
    if (this.#gap) this.#host.missed({ lists: granted.lists, uris: known })
    this.#gap = false
    void this.#bringAbout(this.#session)
  }

  #settleWant(uri: string, agreed: boolean): void {
    const want = this.#wants.get(uri)
    if (want === undefined) return
    const { waiting } = want
    want.waiting = undefined
    if (agreed) return waiting?.resolve()
    const error = new ParleyError('subscription_failed', {
      message: `The server does not tell of changes to ${uri.slice(0, 200)}`,
      data: { uri },
    })
    if (waiting === undefined) want.refused = error
    else this.#wants.delete(uri)
    waiting?.reject(error)
  }

  #failed(session: Session, asked: News, error: Error): Error {
    this.#opening = undefined
    // The session before waits for it to end.
    if (this.#current !== undefined && this.#current.session !== session) this.#drop(this.#current)
    // Its successor begins anew.
    if (!session.open) {
      this.#rejectWaiting(error)
      return error
    }
    this.#rejectWaiting(error, asked.uris)
    const wanted = this.#wanted(session)
    if (isEmpty(wanted) || (this.#current !== undefined && isSame(this.#current.granted, wanted))) {
      void this.#bringAbout(session)
      return error
    }
    this.#host.onError(error)
    if (this.#current === undefined) this.#gap = true
    if ([...this.#wants.values()].some(({ waiting }) => waiting !== undefined)) void this.#bringAbout(session)
    else if (!(error instanceof ParleyError && FUTILE.has(error.kind))) this.#openLater()
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
    if (!isEmpty(this.#wanted(stream.session))) this.#openLater()
  }

  #openLater(): void {
    const { clock, random, backoff } = this.#host
    this.#stopWaiting()
    // An open stream keeps a program alive; so does the wait for the next one.
    this.#cancelTimer = clock.after(
      backoff.delayBefore(this.#failures++, random()),
      () => void this.#bringAbout(this.#session),
      true,
    )
  }

  #stopWaiting(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #drop(stream: Stream | undefined): undefined {
    if (stream === this.#current) this.#current = undefined
    stream?.abort.abort()
  }

  /** Those among `uris` who still wait for the server's agreement; by default all. */
  #rejectWaiting(error: Error, uris: Iterable<string> = [...this.#wants.keys()]): undefined {
    for (const uri of uris) {
      const waiting = this.#wants.get(uri)?.waiting
      if (waiting === undefined) continue
      this.#wants.delete(uri)
      waiting.reject(error)
    }
  }
}

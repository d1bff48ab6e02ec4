/** One conversation of the gateway with a server: a client of the SDK, and the clients of the gateway behind it. */
import { eraOf, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
import {
  type Body,
  type Client,
  type Clock,
  definitionsIn,
  type EngineRequestOptions,
  type Introduction,
  peerRunsTasks,
  type Session,
  type Subscription,
} from 'parley-mcp/engine'
import { abilitiesOf } from '../clients/client-abilities.ts'
import type { ListCheck } from '../lists/list-check.ts'
import type { ListKind } from '../lists/list-kinds.ts'
import { AwaitedLinks } from './awaited-links.ts'
import type { ConversationCall } from './conversation-call.ts'
import { ConversationRoots } from './roots.ts'
import { type ConversationOwner, ServerQuestions } from './server-questions.ts'
import { Throttle } from './throttle.ts'

/** Compares the lists of a server that cannot notify. */
export interface ListPoller {
  readonly clock: Clock
  readonly polling: { follow(kind: ListKind, changed: () => void): () => void }
}

/** Subscriptions and list listeners pass these on, because they know what was missed. */
const FOLLOWED: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
])
const UPDATED = 'notifications/resources/updated'
const COMPLETE = 'notifications/elicitation/complete'

/** Notifications about the work of one client, which other clients must not see. */
const PRIVATE: ReadonlySet<string> = new Set(['notifications/message', 'notifications/tasks/status', COMPLETE])

export class Conversation {
  readonly identity: Introduction
  readonly owner: ConversationOwner | undefined
  readonly questions: ServerQuestions
  readonly roots = new ConversationRoots()
  /** Whether the server was told of anything that it may ask. */
  readonly canAsk: boolean
  #shared = false
  #users = 0
  #lastUsedAt = 0
  #client: Client | undefined
  #level: LogLevel | undefined
  /** How many requests wait for the server to come back. */
  #awaiting = 0
  readonly #work = new WorkInProgress()
  #sharers: Set<ConversationOwner['tell']> | undefined
  #awaitedLinks: AwaitedLinks | undefined
  #tasksOf: { readonly session: Session; readonly runs: boolean } | undefined
  readonly #lists: ListCheck
  readonly #onDropped: (what: string) => void

  constructor(
    identity: Introduction,
    owner: ConversationOwner | undefined,
    lists: ListCheck,
    onDropped: (what: string) => void,
  ) {
    this.identity = identity
    this.canAsk = abilitiesOf(identity.capabilities).isAskable
    this.owner = owner
    this.questions = new ServerQuestions(this, onDropped)
    this.#lists = lists
    this.#onDropped = onDropped
  }

  /** Links for clients that make their call again instead of waiting for a report that the user opened the link. */
  get awaitedLinks(): AwaitedLinks {
    this.#awaitedLinks ??= new AwaitedLinks()
    return this.#awaitedLinks
  }

  /** Set once the conversation is open. */
  get client(): Client {
    return this.#client as Client
  }

  /** The connection is there. */
  begin(client: Client): void {
    this.#client = client
    this.#awaitRootsQuestion()
    client.onReconnect(() => this.#awaitRootsQuestion())
  }

  get open(): boolean {
    return this.#client !== undefined && this.#client.state !== 'closed'
  }

  /** Whether it is open and connected. */
  get ready(): boolean {
    return this.#client?.state === 'connected'
  }

  /** Whether several clients use it. What one of them says is then not for the others. */
  get shared(): boolean {
    return this.#shared
  }

  markShared(): void {
    this.#shared = true
  }

  /** Counts a call or a listener until the returned function is called. */
  use(): () => void {
    this.#users++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#users--
    }
  }

  get isUsed(): boolean {
    return this.#users > 0
  }

  /** When the server last answered a request in it. 0: it has not answered one yet. */
  get lastUsedAt(): number {
    return this.#lastUsedAt
  }

  noteAnswered(now: number): void {
    this.#lastUsedAt = now
  }

  /**
   * Resolves when the server of an open conversation is back or given up. Its era and version are unknown until then.
   */
  async whenReady({ timeout, maxQueued }: { readonly timeout: number; readonly maxQueued: number }): Promise<void> {
    const { client } = this
    if (client.state !== 'reconnecting') return
    if (this.#awaiting >= maxQueued)
      throw new ParleyError('too_many_requests', {
        message: `${maxQueued} requests already wait for the server to come back`,
      })
    this.#awaiting++
    let stop: (() => void)[] = []
    try {
      await new Promise<void>((resolve, reject) => {
        const tooLate = (): void =>
          reject(new ParleyError('request_timeout', { message: `The server did not come back within ${timeout} ms` }))
        stop = [client.onState(() => resolve()), client.session.clock.after(timeout, tooLate)]
      })
    } finally {
      this.#awaiting--
      for (const each of stop) each()
    }
  }

  /**
   * Many servers ask for roots right after the handshake. Clients without a session can be asked only within their
   * calls, so their calls wait for that question.
   */
  #awaitRootsQuestion(): void {
    const isAskable = this.owner === undefined && this.identity.capabilities['roots'] !== undefined
    if (isAskable && !this.stateless && this.roots.known === undefined) this.roots.awaitQuestion(this.client.session)
  }

  get introduction(): Introduction {
    return this.client.session.peer as Introduction
  }

  get stateless(): boolean {
    return eraOf(this.client.version) === 'stateless'
  }

  /** Whether the server runs tool calls as tasks. Every call reads it, so it is computed once per session. */
  get runsTasks(): boolean {
    const { session } = this.client
    if (this.#tasksOf?.session !== session) this.#tasksOf = { session, runs: peerRunsTasks(session, 'tools/call') }
    return this.#tasksOf.runs
  }

  /** Whether the server can send notifications outside of requests. */
  get canNotify(): boolean {
    return this.stateless || this.client.session.hears
  }

  /** Reports changes of a list. The lists of a server that may be unable to notify are polled. */
  followList(kind: ListKind, { polling, clock }: ListPoller, changed: () => void): () => void {
    // The end of a closed conversation is never reported.
    if (!this.open) return () => {}
    const throttle = new Throttle(clock, changed)
    const tell = (): void => throttle.changed()
    const stops = [this.client.onListChanged(kind, tell), () => throttle.stop()]
    if (!this.stateless && this.client.session.transport === 'http')
      stops.push(polling.follow(kind, () => this.canNotify || tell()))
    return () => {
      for (const stop of stops) stop()
    }
  }

  request(method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body> {
    const call = options.owner as ConversationCall | undefined
    if (this.owner === undefined && !this.stateless) call?.join(this.questions.calls)
    if (definitionsIn(method) !== undefined) return this.#lists.request(this.client, method, params, options)
    return this.client.request(method, params, options)
  }

  subscribe(uri: string, handler: (uri: string) => void): Promise<Subscription> {
    return this.client.subscribe(uri, handler)
  }

  /**
   * Sets the most verbose level that a client asks for. The gateway drops what another client does not want. Rejects
   * when the server refuses.
   */
  async wantLevel(level: LogLevel | undefined): Promise<void> {
    if (level === undefined || !this.client.session.hasPeerCapability('logging')) return
    const before = this.#level
    if (before !== undefined && logLevels.indexOf(before) <= logLevels.indexOf(level)) return
    this.#level = level
    try {
      await this.client.setLogLevel(level)
    } catch (error) {
      if (this.#level === level) this.#level = before
      throw error
    }
  }

  /** Passes notifications that belong to no call to one of the clients that share the conversation. */
  addSharer(tell: ConversationOwner['tell']): () => void {
    this.#sharers ??= new Set()
    this.#sharers.add(tell)
    return () => this.#sharers?.delete(tell)
  }

  #isFollowed(uri: unknown): boolean {
    return typeof uri === 'string' && this.client.subscriptions().some((followed) => uri.startsWith(followed))
  }

  /** The server sends a notification. `call`: the call that it is about, where that is known. */
  notified(method: string, params: Body, call: unknown): void {
    if (FOLLOWED.has(method)) return
    // D-26: the gateway holds the call that waits for this.
    if (method === COMPLETE && this.awaitedLinks.served(params['elicitationId'])) return
    if (method === UPDATED) return this.#isFollowed(params['uri']) ? undefined : this.#onDropped(method)
    if (call !== undefined) return (call as ConversationCall).tell(method, params)
    if (this.owner !== undefined) return this.owner.tell(method, params)
    // A notification that may be about the call of one client must not reach another. While calls run, any may be.
    const isForAll = !PRIVATE.has(method) && this.client.session.pending().length === 0
    if (this.#sharers === undefined || this.#sharers.size === 0 || !isForAll) return this.#onDropped(method)
    for (const tell of [...this.#sharers]) tell(method, params)
  }

  /** Work that must send something at its end. `close` waits for it for a short time. */
  stayFor<T>(work: Promise<T>): Promise<T> {
    return this.#work.add(work)
  }

  async close(): Promise<void> {
    if (!this.#work.isEmpty && this.ready) await this.#work.end(this.client.session.clock)
    await this.#client?.close()
  }
}

/** How long the end of a conversation waits for work in progress, in milliseconds. */
const MAX_END_MS = 1000

class WorkInProgress {
  readonly #work = new Set<Promise<unknown>>()

  get isEmpty(): boolean {
    return this.#work.size === 0
  }

  add<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work)
    const over = (): void => void this.#work.delete(work)
    work.then(over, over)
    return work
  }

  /** Resolves when no work is left, or after a short time. */
  end(clock: Clock): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.after(MAX_END_MS, resolve)
      void this.#settled().then(() => {
        stop()
        resolve()
      })
    })
  }

  /** Work that ends may start other work. */
  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work)
  }
}

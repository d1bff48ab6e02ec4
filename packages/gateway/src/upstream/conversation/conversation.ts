/** One conversation of the gateway with a server: a client of the SDK, and who stands behind it. */
import { eraOf, type LogLevel, logLevels, ParleyError, type ProtocolVersion } from 'parley-mcp'
import {
  Bag,
  type Body,
  type Client,
  definitionsIn,
  type EngineRequestOptions,
  type Inbound,
  type Introduction,
  peerRunsTasks,
  type Session,
  type Subscription,
  systemMint,
} from 'parley-mcp/engine'
import { abilitiesOf } from '../clients/client-abilities.ts'
import type { ListCheck } from '../lists/list-check.ts'
import type { ListKind, Upstream } from '../upstream.ts'
import { isLinkQuestion, paceOf } from './asked-links.ts'
import { AwaitedLinks } from './awaited-links.ts'
import type { ConversationCall } from './conversation-call.ts'
import { Mutex } from './mutex.ts'
import { ConversationRoots } from './roots.ts'
import { Throttle } from './throttle.ts'
import { unanswered } from './unanswered-question.ts'
import { methodGap } from './version-gap.ts'

/** Who is asked, and told, what belongs to no call. */
export interface ConversationOwner {
  /** What the client speaks. */
  version(): ProtocolVersion | undefined
  /** Puts a question of the server to the one client behind the conversation. */
  ask(question: Inbound): Promise<Body>
  tell(method: string, params: Body): void
}

/** Told through subscriptions and list listeners instead, which know what was missed. */
const FOLLOWED: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
])
const UPDATED = 'notifications/resources/updated'
const COMPLETE = 'notifications/elicitation/complete'

/** About one client's work, whoever else may hear it. */
const PRIVATE: ReadonlySet<string> = new Set(['notifications/message', 'notifications/tasks/status', COMPLETE])

const FAREWELL_MS = 1000

export class Conversation {
  readonly identity: Introduction
  readonly owner: ConversationOwner | undefined
  /** Calls that may be asked something, where it cannot be told which of several is. */
  readonly turns = new Mutex()
  /** The call that has its turn: whatever is asked belongs to it. */
  holder: ConversationCall | undefined
  /** A question came that does not say to which call it belongs, though others may. */
  strays = false
  /** Several clients use it, and what one of them said is not for the others. */
  shared = false
  readonly roots = new ConversationRoots()
  /** Calls and listeners that use it now. */
  users = 0
  /** When a request was last answered in it; 0 before there was one. */
  lastUsedAt = 0
  #client: Client | undefined
  #level: LogLevel | undefined
  /** How many wait for the server to come back. */
  #awaiting = 0
  readonly #working = new Set<Promise<unknown>>()
  #sharers: Set<ConversationOwner['tell']> | undefined
  /** Those the server works on that can be asked, where there is nobody else to ask. */
  readonly #calls = new Bag<ConversationCall>()
  #awaitedLinks: AwaitedLinks | undefined
  #tasksOf: { readonly session: Session; readonly runs: boolean } | undefined
  /** Whether the server was told of anything that it may ask. */
  readonly #canAsk: boolean
  readonly #lists: ListCheck
  readonly #onDropped: (what: string) => void

  constructor(
    identity: Introduction,
    owner: ConversationOwner | undefined,
    lists: ListCheck,
    onDropped: (what: string) => void,
  ) {
    this.identity = identity
    this.#canAsk = abilitiesOf(identity.capabilities).isAskable
    this.owner = owner
    this.#lists = lists
    this.#onDropped = onDropped
  }

  /** Of clients that will never be told when a link has served its purpose, and make their call again instead. */
  get awaitedLinks(): AwaitedLinks {
    this.#awaitedLinks ??= new AwaitedLinks()
    return this.#awaitedLinks
  }

  /** Set once it is open. */
  get client(): Client {
    return this.#client as Client
  }
  set client(client: Client) {
    this.#client = client
  }

  get open(): boolean {
    return this.#client !== undefined && this.#client.state !== 'closed'
  }

  /** Open, and the server is there. */
  get ready(): boolean {
    return this.#client?.state === 'connected'
  }

  /**
   * For one that is open: kept when its server is there again, or given up. Of which era and version it is then, nobody
   * knows before.
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
   * Clients that can be asked only within their calls can be asked for roots before one: whether to, the server may say
   * as soon as it is spoken to.
   */
  hearRoots(): void {
    const isAskable = this.owner === undefined && this.identity.capabilities['roots'] !== undefined
    if (isAskable && !this.stateless && this.roots.known === undefined) this.roots.hear(this.client.session)
  }

  get introduction(): Introduction {
    return this.client.session.peer as Introduction
  }

  get stateless(): boolean {
    return eraOf(this.client.version) === 'stateless'
  }

  /** Whether the server runs tool calls as tasks; asked with every call, so it is found out once per session. */
  get runsTasks(): boolean {
    const { session } = this.client
    if (this.#tasksOf?.session !== session) this.#tasksOf = { session, runs: peerRunsTasks(session, 'tools/call') }
    return this.#tasksOf.runs
  }

  /** Whether the server can tell on its own account, here and now, that something has changed. */
  get hears(): boolean {
    return this.stateless || this.client.session.hears
  }

  /** Told when a list changes; where the server may be one that only speaks when it is asked, it is (8.2). */
  followList(kind: ListKind, { polling, clock }: Upstream, changed: () => void): () => void {
    // Whose end nobody would hear of.
    if (!this.open) return () => {}
    const paced = new Throttle(clock, changed)
    const tell = (): void => paced.changed()
    const stops = [this.client.onListChanged(kind, tell), () => paced.stop()]
    if (!this.stateless && this.client.session.transport === 'http')
      stops.push(polling.follow(kind, () => this.hears || tell()))
    return () => {
      for (const stop of stops) stop()
    }
  }

  /**
   * Whether a question of the server names the request it belongs to: over HTTP it can, and is believed to until one
   * does not.
   */
  get correlates(): boolean {
    return this.stateless || (this.client.session.transport === 'http' && !this.strays)
  }

  /**
   * Whether its calls go one after the other: the server may ask something, and would not say to which of them it
   * belongs.
   */
  get takesTurns(): boolean {
    return this.#canAsk && !this.correlates
  }

  request(method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body> {
    const call = options.owner as ConversationCall | undefined
    if (this.owner === undefined && !this.stateless) call?.join(this.#calls)
    if (definitionsIn(method) !== undefined) return this.#lists.request(this.client, method, params, options)
    return this.client.request(method, params, options)
  }

  subscribe(uri: string, handler: (uri: string) => void): Promise<Subscription> {
    return this.client.subscribe(uri, handler)
  }

  /**
   * The most verbose level that anybody asks for; what is more than one of them wants is left out where it is
   * delivered. Fails when the server refuses.
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

  /** What the server asks. */
  async answer(question: Inbound): Promise<Body> {
    const call = this.#callOf(question)
    // Roots are the same for all calls of a client.
    if (this.#ownerOf(question) === undefined && question.method !== 'roots/list') this.strays = true
    try {
      if (call !== undefined) return await this.#askFor(call, question)
      if (this.owner !== undefined) return await this.owner.ask(question)
    } catch (error) {
      // In the other era, what cannot be answered ends the call, and with what it ends is decided there.
      if (this.stateless) throw error
      // There was no time to ask its client; with the next call there is.
      if (question.method === 'roots/list' && this.owner === undefined && call?.isOver)
        return this.#answerAlone(question)
      return unanswered(question.method, error)
    }
    return this.#answerAlone(question)
  }

  /**
   * For each of several clients that share the conversation: told what belongs to nobody's call. The returned function ends it.
   */
  share(tell: ConversationOwner['tell']): () => void {
    this.#sharers ??= new Set()
    this.#sharers.add(tell)
    return () => this.#sharers?.delete(tell)
  }

  /** The one it is about, if that can be told and its client can be asked. */
  #callOf(question: Inbound): ConversationCall | undefined {
    const owner = this.#ownerOf(question)
    if (owner?.canBeAsked) return owner
    // Among calls of one client a mistake is seen by that client only; of several, it would be seen by another.
    if (this.shared) return undefined
    return this.holder ?? this.#onlyWorking()
  }

  /** The only call that runs need not be the one it is about: that may be over, and its client somebody else. */
  #ownerOf({ owner, within }: Inbound): ConversationCall | undefined {
    return this.shared && within !== true ? undefined : (owner as ConversationCall | undefined)
  }

  /**
   * Who waits for its client has asked already: when all calls but one do, a question that names none is most likely of
   * that one.
   */
  #onlyWorking(): ConversationCall | undefined {
    const working = this.#calls.all().filter(({ waits }) => !waits)
    return working.length === 1 ? working[0] : undefined
  }

  /** How many of its calls wait for answers of their own clients. */
  get waiting(): number {
    return this.#calls.all().filter(({ waits }) => waits).length
  }

  /** When one of those was last asked. */
  get askedAt(): number {
    return Math.max(0, ...this.#calls.all().map(({ waitsSince }) => waitsSince))
  }

  #isFollowed(uri: unknown): boolean {
    return typeof uri === 'string' && this.client.subscriptions().some((followed) => uri.startsWith(followed))
  }

  /** X5: a question the client's version does not have is refused with that reason. */
  refusing(method: string, error: ParleyError): ParleyError {
    const version = this.owner?.version()
    const gap = version === undefined ? '' : methodGap(version, method)
    return gap === ''
      ? error
      : new ParleyError(error.kind, { message: `${error.message}: ${gap}`, ...(error.data && { data: error.data }) })
  }

  /** What the server tells, and on which call it works when that is known. */
  told(method: string, params: Body, _session: Session, call: unknown): void {
    if (FOLLOWED.has(method)) return
    // D-26: it is for the gateway, which holds the call.
    if (method === COMPLETE && this.awaitedLinks.served(params['elicitationId'])) return
    if (method === UPDATED) return this.#isFollowed(params['uri']) ? undefined : this.#onDropped(method)
    if (call !== undefined) return (call as ConversationCall).tell(method, params)
    if (this.owner !== undefined) return this.owner.tell(method, params)
    // What one client's call may be about is for no other: while calls run that is anything, and afterwards still what
    // names their business.
    const isForAll = !PRIVATE.has(method) && this.client.session.pending().length === 0
    if (this.#sharers === undefined || this.#sharers.size === 0 || !isForAll) return this.#onDropped(method)
    for (const tell of [...this.#sharers]) tell(method, params)
  }

  /** For work that has something to say at its end: when the conversation is closed before, it has a moment for that. */
  stayFor<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work)
    const over = (): void => void this.#working.delete(work)
    work.then(over, over)
    return work
  }

  async close(): Promise<void> {
    if (this.#working.size > 0 && this.ready) await this.#farewell()
    await this.#client?.close()
  }

  #farewell(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.client.session.clock.after(FAREWELL_MS, resolve)
      void this.#worked().then(() => {
        stop()
        resolve()
      })
    })
  }

  /** What ends may have something to say that is work again. */
  async #worked(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  /**
   * 8.3: a server of the stateless era cannot wait for its user, so it asks until the user has been there; the user is
   * asked once.
   */
  async #askFor(call: ConversationCall, question: Inbound): Promise<Body> {
    if (question.method === 'roots/list') return this.#rootsFor(call, question)
    if (
      !this.stateless ||
      !isLinkQuestion(question.method, question.params) ||
      call.caller.version === this.client.version
    ) {
      call.noteQuestion()
      return call.ask(question)
    }
    const { url } = question.params
    call.noteQuestion(url)
    const known = call.links.find(url)
    if (call.demanded !== undefined) {
      const link = known ?? call.links.remember(url, systemMint())
      link.accepted = false
      call.demanded.push({ link, message: question.params['message'] })
      return { action: 'accept' }
    }
    if (known?.accepted) {
      const pace = paceOf(known)
      await pause(question, pace)
      known.repeats++
      known.waited += pace
      return { action: 'accept' }
    }
    const link = known ?? call.links.remember(url, systemMint())
    const answer = await call.ask(question, { ...question.params, elicitationId: link.elicitationId })
    link.accepted = answer['action'] === 'accept'
    return answer
  }

  async #rootsFor(call: ConversationCall, question: Inbound): Promise<Body> {
    const fresh = this.roots.takeFresh(question, call)
    if (fresh !== undefined) return fresh
    const roots = await call.ask(question)
    if (!this.shared) this.roots.known = roots
    return roots
  }

  /** Nobody can be asked: what is known is told, and no decision is made up (8.2). */
  #answerAlone(question: Inbound): Body {
    if (question.method === 'roots/list') return this.roots.withoutClient(question, !this.shared)
    this.#onDropped(question.method)
    return unanswered(
      question.method,
      new ParleyError('request_cancelled', { message: `${question.method} came outside of any request of the client` }),
    )
  }
}

function pause({ session, signal }: Inbound, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.clock.after(ms, resolve)
    signal.addEventListener(
      'abort',
      () => {
        stop()
        resolve()
      },
      { once: true },
    )
  })
}

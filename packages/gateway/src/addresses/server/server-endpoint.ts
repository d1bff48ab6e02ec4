/** What a client meets at the address of one server: that server, in the client's own version and era. */
import { type Capabilities, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  Bag,
  type Body,
  costOfTexts,
  type Endpoint,
  type HeaderParam,
  type Inbound,
  type Introduction,
  type RequestOptions,
  type Session,
} from 'parley-mcp/engine'
import {
  Call,
  type CallOrigin,
  type CallSite,
  type ClientAddress,
  LinkDemands,
  pipeline,
  type TaskRuns,
  uriIn,
} from '../../calls/index.ts'

import { type ActiveSubscription, type OnChanged, type ServerListeners, Subscriptions } from '../../following/index.ts'
import type { ClientGuard } from '../../limits/index.ts'
import {
  type ClientLog,
  type ClientSession,
  type Conversation,
  type Lease,
  type ListKind,
  refuseLoop,
  toldTo,
  UNKNOWN,
  UNKNOWN_CLIENT,
  type Upstream,
  viaIn,
} from '../../upstream/index.ts'
import { ArrivingClient } from './arriving-client.ts'
import { identityFor } from './identity.ts'
import { ownClaim } from './own-claim.ts'

/** How the address of all servers shows one of them to a client. */
export interface ServerView {
  /** The params of a notification or a question, with the names and URIs that the client knows. */
  told(method: string, params: Body): Body
  /** A list that this one client sees may have changed. */
  listChanged(kind: ListKind): void
}

/** What all clients of one server share. */
export interface ServerShared {
  readonly upstream: Upstream
  readonly listeners: ServerListeners
  readonly tasks: TaskRuns
  readonly clientLog: ClientLog
  readonly view?: ServerView
}

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
const UPDATED = 'notifications/resources/updated'

export class ServerEndpoint implements Endpoint, CallSite, ClientAddress {
  readonly takesForeignState = true
  readonly keepsDigits = true
  limit: ClientGuard | undefined
  readonly #origin: CallOrigin = { kind: 'server', address: this }
  readonly upstream: Upstream
  readonly #shared: ServerShared
  readonly #client: ClientSession
  /** Of a client of the handshake era: the conversation that is its own. */
  #conversation: Conversation | undefined
  #session: Session | undefined
  readonly #arrival = new ArrivingClient()
  #peer: Introduction | undefined
  #reopening: Promise<void> | undefined
  #level: LogLevel | undefined
  /** Set when the conversation is also that of others. */
  #lease: Lease | undefined
  readonly #undo: (() => void)[] = []
  readonly #subscriptions = new Subscriptions()
  readonly #updated: OnChanged = this.#forgetResult((uri) => this.#tell(UPDATED, { uri }))
  /** What the server works on for this client. */
  readonly calls = new Bag<Call>()
  /** What its last attempts have left, where it is told of links with an error. */
  readonly demands: LinkDemands | undefined
  #closed = false

  constructor(shared: ServerShared, client = UNKNOWN_CLIENT) {
    this.#client = client
    this.upstream = shared.upstream
    this.#shared = shared
    if (this.upstream.config.urlMode === 'error') this.demands = new LinkDemands(this.upstream.clock)
  }

  /** L4: a client is let in when the server has been reached, and is told clearly when it cannot be. */
  prepare(peer: Introduction | undefined, declared = peer?.capabilities): Promise<void> | undefined {
    refuseLoop(viaIn(declared), (id) => id === this.upstream.id)
    return peer === undefined ? this.upstream.ready(declared) : this.#openConversation(peer)
  }

  introduce(declared?: Capabilities): Introduction {
    return toldTo(declared, this.upstream.introduction ?? UNKNOWN)
  }

  answer(inbound: Inbound): Answered {
    return pipeline.run(new Call(inbound, this.#origin, this))
  }

  // What the stages of its calls share

  get clientLog(): ClientLog {
    return this.#shared.clientLog
  }

  get tasks(): TaskRuns {
    return this.#shared.tasks
  }

  get leastLevel(): LogLevel | undefined {
    return this.#lease === undefined ? undefined : this.#level
  }

  ownConversation({ method }: Call): Conversation | Promise<Conversation> {
    // A conversation that was opened now would belong to no client.
    if (this.#closed) return Promise.reject(new ParleyError('session_closed'))
    const conversation = this.#conversation
    if (conversation === undefined)
      return Promise.reject(new ParleyError('not_initialized', { message: `${method} came before initialize` }))
    return conversation.ready ? conversation : this.#conversationAgain()
  }

  follow(call: Call, conversation: Conversation): Promise<Answer> {
    switch (call.method) {
      case 'logging/setLevel':
        return this.#setLevel(call, conversation)
      case 'resources/subscribe':
        return this.#subscribe(call, conversation)
      case 'resources/unsubscribe':
        return this.#unsubscribe(call)
      default:
        return this.#shared.listeners.listen(call, conversation)
    }
  }

  tool(name: string): Body | undefined {
    return this.upstream.tools.definition(name) as Body | undefined
  }

  headerParams(tool: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    return this.upstream.tools.headerParams(tool)
  }

  /** What the client tells is the server's business, as far as it has a session there. */
  notified(method: string, params: Body): void {
    if (method === 'notifications/roots/list_changed' && this.#conversation !== undefined)
      this.#conversation.roots.known = undefined
    this.#conversation?.client.notify(method, params)
  }

  /** Whom the server can ask and tell from now on. */
  attach(session: Session): void {
    this.#session = session
    this.#arrival.arrive(session)
  }

  opened(session: Session): void {
    const conversation = this.#conversation
    // A client may have left while its conversation was being opened.
    if (conversation === undefined || this.#closed) return
    this.attach(session)
    for (const kind of KINDS) {
      if (conversation.client.session.hasPeerCapability(kind))
        this.#undo.push(conversation.followList(kind, this.upstream, () => this.#listChanged(kind, session)))
    }
  }

  closing(session: Session): void {
    this.#shared.listeners.endAll(session)
  }

  closed(session: Session): void {
    this.#closed = true
    this.#arrival.leave()
    this.#shared.listeners.endAll(session)
    this.#shared.tasks.release(session)
    this.#leave()
  }

  // What the protocol says differently in each era, and the client of the SDK says for us

  async #setLevel(call: Call, conversation: Conversation): Promise<Body> {
    const level = call.params['level'] as LogLevel
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.upstream.rate.demand()
    await this.#askForLevel(level, conversation, { signal: call.signal })
    this.#level = level
    return {}
  }

  /** For whoever asks several servers at once: those without log messages are left alone. */
  async wantLevel(level: LogLevel): Promise<void> {
    this.#level = level
    const conversation = this.#conversation
    if (conversation?.client.session.hasPeerCapability('logging')) await this.#askForLevel(level, conversation)
  }

  /** What others want to hear of stays wanted. */
  async #askForLevel(level: LogLevel, conversation: Conversation, options?: RequestOptions): Promise<void> {
    if (this.#lease !== undefined) await conversation.wantLevel(level)
    else await conversation.client.setLogLevel(level, options)
  }

  async #subscribe(call: Call, conversation: Conversation): Promise<Body> {
    this.upstream.rate.demand()
    if (this.#session === undefined) this.attach(call.session)
    const uri = uriIn(call.params)
    if (this.#subscriptions.has(uri)) return {}
    await this.#subscriptions.add(conversation, uri, this.#updated, call.keep(costOfTexts([uri]), 'a subscription'))
    return {}
  }

  async #unsubscribe({ params }: Call): Promise<Body> {
    await this.#subscriptions.remove(uriIn(params))
    return {}
  }

  /** For whoever shows this server among others, and knows by which URI the client is to be told. */
  async followResource(uri: string, changed: OnChanged): Promise<ActiveSubscription> {
    if (this.#closed) throw new ParleyError('session_closed')
    const conversation = this.#conversation?.ready ? this.#conversation : await this.#conversationAgain()
    const { isActive, stop } = await this.#subscriptions.add(conversation, uri, this.#forgetResult(changed))
    return { isActive: () => this.#conversation?.open === true && isActive(), stop }
  }

  /**
   * The server was away. Its supervisor says whether it can be had again; a client whose session has outlived the
   * server's does not notice more.
   */
  async #conversationAgain(): Promise<Conversation> {
    this.upstream.demandUp()
    if (this.#conversation?.open) {
      await this.#conversation.whenReady(this.upstream.config)
      if (this.#conversation.open) return this.#conversation
      this.upstream.demandUp()
    }
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
    return this.#conversation as Conversation
  }

  async #reopen(): Promise<void> {
    const session = this.#session
    await this.#openConversation(this.#peer as Introduction)
    if (this.#closed) throw new ParleyError('session_closed')
    if (session !== undefined) this.opened(session)
    const conversation = this.#conversation as Conversation
    if (this.#level !== undefined) await this.wantLevel(this.#level).catch(() => {})
    await this.#subscriptions.renew(conversation)
    if (this.#closed) return
    // Whatever has changed meanwhile nobody has told.
    for (const kind of KINDS) if (conversation.client.session.hasPeerCapability(kind)) this.#listChanged(kind, session)
  }

  #listChanged(kind: ListKind, session: Session | undefined): void {
    const { view } = this.#shared
    // The gateway may have no conversation of its own that tells it.
    this.upstream.resultCache.listChanged(kind)
    if (kind === 'tools') this.upstream.tools.forget()
    if (view === undefined) session?.notify(`notifications/${kind}/list_changed`)
    else view.listChanged(kind)
  }

  #tell(method: string, params: Body): void {
    this.#arrival.tell((session) => session.notify(method, this.#shared.view?.told(method, params) ?? params))
  }

  /** What was kept of a resource is not true any more. */
  #forgetResult(changed: OnChanged): OnChanged {
    return (uri) => {
      this.upstream.resultCache.updated(uri)
      changed(uri)
    }
  }

  async #openConversation(peer: Introduction): Promise<void> {
    this.upstream.demandUp()
    this.#peer = peer
    // What there was before, if anything, is behind us.
    for (const undo of this.#undo.splice(0)) undo()
    this.#lease?.release()
    this.#lease = undefined
    const lease = await this.upstream.pool.share(peer.capabilities)
    const conversation = lease?.conversation ?? (await this.#openOwnConversation(peer))
    this.#lease = lease
    if (lease !== undefined) this.#undo.push(conversation.share((method, params) => this.#tell(method, params)))
    this.#conversation = conversation
    if (this.#closed) this.#leave()
  }

  /** A conversation in this client's name, and nobody else's. */
  #openOwnConversation(peer: Introduction): Promise<Conversation> {
    return this.upstream.openConversation({
      ...identityFor(peer),
      lasting: true,
      prefer: 'handshake',
      claim: ownClaim(this.#client, this.#shared.view === undefined),
      owner: {
        version: () => this.#session?.version,
        ask: (question) => this.#ask(question),
        tell: (method, params) => this.#tell(method, params),
      },
    })
  }

  /** What the server asks about none of its calls in particular. */
  async #ask(question: Inbound): Promise<Body> {
    const session = await this.#arrival.whenHere(question)
    const params = this.#shared.view?.told(question.method, question.params) ?? question.params
    // A client that fetches nothing by itself is asked on a request of its own, whichever that is.
    const relatedTo = session.reachable ? undefined : session.inFlight().at(-1)?.id
    // Which call it is about nobody knows, but one of them waits for the answer.
    const goOn = this.calls
      .all()
      .find(({ waits }) => !waits)
      ?.waitForClient()
    try {
      return await session.request(question.method, params, {
        timeout: '10m',
        signal: question.signal,
        ...(relatedTo !== undefined && { relatedTo }),
      })
    } finally {
      goOn?.()
    }
  }

  #leave(): void {
    for (const undo of this.#undo.splice(0)) undo()
    this.#subscriptions.end()
    if (this.#lease !== undefined) this.#lease.release()
    else if (this.#conversation?.shared === false) void this.#conversation.close()
    this.#lease = undefined
  }
}

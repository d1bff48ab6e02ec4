/** One client's endpoint at the address of one server. It shows that server in the client's version and era. */
import { type Capabilities, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  Bag,
  type Body,
  costOfTexts,
  type Endpoint,
  type EngineRequestOptions,
  type HeaderParam,
  type Inbound,
  type Introduction,
  isObject,
  type Session,
  TASKS_EXTENSION,
} from 'parley-mcp/engine'
import {
  Call,
  type CallOrigin,
  type CallSite,
  type ClientAddress,
  LinkDemands,
  type Pipeline,
  type TaskRuns,
  uriIn,
} from '../../calls/index.ts'

import { type ActiveSubscription, type OnChanged, type ServerListeners, Subscriptions } from '../../following/index.ts'
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
  readonly pipeline: Pipeline
  readonly view?: ServerView
}

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
const UPDATED = 'notifications/resources/updated'

export class ServerEndpoint implements Endpoint, CallSite, ClientAddress {
  readonly takesForeignState = true
  readonly keepsDigits = true
  readonly #origin: CallOrigin = { kind: 'server', address: this }
  readonly upstream: Upstream
  readonly #shared: ServerShared
  readonly client: ClientSession
  /** The conversation of a client of the handshake era. */
  #conversation: Conversation | undefined
  #session: Session | undefined
  readonly #arrival = new ArrivingClient()
  #peer: Introduction | undefined
  #reopening: Promise<void> | undefined
  #level: LogLevel | undefined
  /** Set when other clients share the conversation. */
  #lease: Lease | undefined
  readonly #undo: (() => void)[] = []
  readonly #subscriptions = new Subscriptions()
  readonly #updated: OnChanged = this.#forgetResult((uri) => this.#tell(UPDATED, { uri }))
  /** Calls of this client in progress at the server. */
  readonly calls = new Bag<Call>()
  /** Links demanded by earlier attempts of this client. Set with `urlMode: "error"`. */
  readonly demands: LinkDemands | undefined
  #closed = false

  constructor(shared: ServerShared, client = UNKNOWN_CLIENT) {
    this.client = client
    this.upstream = shared.upstream
    this.#shared = shared
    if (this.upstream.config.urlMode === 'error') this.demands = new LinkDemands(this.upstream.clock)
  }

  /** L4: accepts a client when the server was reached, and rejects it with the reason otherwise. */
  prepare(peer: Introduction | undefined, declared = peer?.capabilities): Promise<void> | undefined {
    refuseLoop(viaIn(declared), (id) => id === this.upstream.id)
    return peer === undefined ? this.upstream.ready(declared) : this.#openConversation(peer)
  }

  introduce(declared?: Capabilities): Introduction {
    return toldTo(declared, this.upstream.introduction ?? UNKNOWN)
  }

  answer(inbound: Inbound): Answered {
    return this.#shared.pipeline.run(new Call(inbound, this.#origin, this))
  }

  // For the stages of its calls

  get name(): string {
    return this.upstream.name
  }

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
    // Nothing would close a conversation that is opened now.
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

  /** Forwards a notification if the client has a session at the server. */
  notified(method: string, params: Body): void {
    if (method === 'notifications/roots/list_changed' && this.#conversation !== undefined)
      this.#conversation.roots.forget()
    this.#conversation?.client.notify(method, params)
  }

  /** From now on the server's questions and notifications go to this session. */
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

  // Requests that differ between the eras: the client of the SDK sends them in the server's version

  async #setLevel(call: Call, conversation: Conversation): Promise<Body> {
    const level = call.params['level'] as LogLevel
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.upstream.rate.demand()
    await this.#askForLevel(level, conversation, { signal: call.signal })
    this.#level = level
    return {}
  }

  /** For the address of all servers. A server without log messages gets no request. */
  async wantLevel(level: LogLevel): Promise<void> {
    this.#level = level
    const conversation = this.#conversation
    if (conversation?.client.session.hasPeerCapability('logging')) await this.#askForLevel(level, conversation)
  }

  /** In a shared conversation the most verbose level of all its clients applies. */
  async #askForLevel(level: LogLevel, conversation: Conversation, options?: EngineRequestOptions): Promise<void> {
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

  /** For the address of all servers, which notifies the client with its own URI. */
  async followResource(uri: string, changed: OnChanged): Promise<ActiveSubscription> {
    if (this.#closed) throw new ParleyError('session_closed')
    const conversation = this.#conversation?.ready ? this.#conversation : await this.#conversationAgain()
    const { isActive, stop } = await this.#subscriptions.add(conversation, uri, this.#forgetResult(changed))
    return { isActive: () => this.#conversation?.open === true && isActive(), stop }
  }

  /**
   * The server was away. Opens a new conversation if the supervisor allows it, and the client's session goes on.
   * Throws the supervisor's reason otherwise.
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
    // The gateway missed the changes while the server was away.
    for (const kind of KINDS) if (conversation.client.session.hasPeerCapability(kind)) this.#listChanged(kind, session)
  }

  #listChanged(kind: ListKind, session: Session | undefined): void {
    const { view } = this.#shared
    // The gateway's own conversation may not report the change, or not exist.
    this.upstream.resultCache.listChanged(kind)
    if (kind === 'tools') this.upstream.tools.forget()
    if (view === undefined) session?.notify(`notifications/${kind}/list_changed`)
    else view.listChanged(kind)
  }

  #tell(method: string, params: Body): void {
    this.#arrival.tell((session) => session.notify(method, this.#shared.view?.told(method, params) ?? params))
  }

  /** Drops the cached contents of a changed resource first. */
  #forgetResult(changed: OnChanged): OnChanged {
    return (uri) => {
      this.upstream.resultCache.updated(uri)
      changed(uri)
    }
  }

  async #openConversation(peer: Introduction): Promise<void> {
    this.upstream.demandUp()
    this.#peer = peer
    // Ends what remains of an earlier conversation.
    for (const undo of this.#undo.splice(0)) undo()
    this.#lease?.release()
    this.#lease = undefined
    const lease = await this.upstream.pool.share(peer.capabilities)
    const conversation = lease?.conversation ?? (await this.#openOwnConversation(peer))
    this.#lease = lease
    if (lease !== undefined) this.#undo.push(conversation.addSharer((method, params) => this.#tell(method, params)))
    this.#conversation = conversation
    if (this.#closed) this.#leave()
  }

  /** A conversation for this client alone, in its name. */
  #openOwnConversation(peer: Introduction): Promise<Conversation> {
    return this.upstream.openConversation({
      ...identityFor(peer),
      lasting: true,
      prefer: 'handshake',
      claim: ownClaim(this.client, this.#shared.view === undefined),
      owner: {
        version: () => this.#session?.version,
        ask: (question) => this.#ask(question),
        tell: (method, params) => this.#tell(method, params),
      },
    })
  }

  /** A question of the server that names no call. */
  async #ask(question: Inbound): Promise<Body> {
    const session = await this.#arrival.whenHere(question)
    const params = this.#shared.view?.told(question.method, question.params) ?? question.params
    // A client without a stream for questions gets it on the response to its latest request.
    const relatedTo = session.reachable ? undefined : session.inFlight().at(-1)?.id
    // The call that asks is unknown. One call in progress is marked as waiting for the client.
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

/**
 * How the gateway introduces itself to a server on behalf of a client that shook hands: as that client, with the tasks
 * extension (D-40). A version ignores the capabilities that it does not have.
 */
function identityFor({ info, capabilities }: Introduction): Introduction {
  const { extensions, elicitation } = capabilities as Record<string, Body | undefined>
  const named = isObject(elicitation) && { elicitation: withMode(elicitation) }
  return {
    info,
    capabilities: { ...capabilities, ...named, extensions: { ...extensions, [TASKS_EXTENSION]: {} } } as Capabilities,
  }
}

/** Elicitation without a mode means forms. */
function withMode(elicitation: Body): Body {
  return elicitation['form'] === undefined && elicitation['url'] === undefined
    ? { ...elicitation, form: {} }
    : elicitation
}

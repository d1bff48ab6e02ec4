/** What a client meets at the address of one server: that server, in the client's own version and era. */
import { type Capabilities, eraOf, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
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
  type Session,
} from 'parley-mcp/engine'
import { Call, type CallRouting, type CallSite, LinkDemands, pipeline, type TaskRuns } from '../calls/index.ts'
import {
  type ClientLog,
  type ClientSession,
  type Lease,
  type Line,
  type ListKind,
  refuseCircle,
  toldTo,
  UNKNOWN,
  UNKNOWN_CLIENT,
  type Upstream,
  viaIn,
} from '../upstream/index.ts'
import { Arrival } from './arrival.ts'
import { identityFor } from './identity.ts'
import type { Listeners } from './listeners.ts'
import { ownClaim } from './own-claim.ts'
import { type Changed, type Hold, Subscriptions } from './subscriptions.ts'
import type { View } from './view.ts'

/** What all clients of one server share. */
export interface Shared {
  readonly upstream: Upstream
  readonly listeners: Listeners
  readonly tasks: TaskRuns
  readonly clientLog: ClientLog
  readonly view?: View
}

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
const UPDATED = 'notifications/resources/updated'

export class ServerEndpoint implements Endpoint, CallSite {
  readonly takesForeignState = true
  readonly keepsDigits = true
  turnsAway: Endpoint['turnsAway']
  readonly upstream: Upstream
  readonly #shared: Shared
  readonly #client: ClientSession
  /** Of a client of the handshake era: the conversation that is its own. */
  #line: Line | undefined
  #session: Session | undefined
  readonly #arrival = new Arrival()
  #peer: Introduction | undefined
  #reopening: Promise<void> | undefined
  #level: LogLevel | undefined
  /** Set when the conversation is also that of others. */
  #lease: Lease | undefined
  readonly #undo: (() => void)[] = []
  readonly #subscriptions = new Subscriptions()
  readonly #updated: Changed = this.#noted((uri) => this.#tell(UPDATED, { uri }))
  /** What the server works on for this client. */
  readonly calls = new Bag<Call>()
  /** What its last attempts have left, where it is told of links with an error. */
  readonly demands: LinkDemands | undefined
  #closed = false

  constructor(shared: Shared, client = UNKNOWN_CLIENT) {
    this.#client = client
    this.upstream = shared.upstream
    this.#shared = shared
    if (this.upstream.config.urlMode === 'error') this.demands = new LinkDemands(this.upstream.clock)
  }

  /** L4: a client is let in when the server has been reached, and is told clearly when it cannot be. */
  prepare(peer: Introduction | undefined, declared = peer?.capabilities): Promise<void> | undefined {
    refuseCircle(viaIn(declared), (id) => id === this.upstream.id)
    return peer === undefined ? this.upstream.ready(declared) : this.#openLine(peer)
  }

  introduce(declared?: Capabilities): Introduction {
    return toldTo(declared, this.upstream.introduction ?? UNKNOWN)
  }

  answer(inbound: Inbound): Answered {
    if (eraOf(inbound.caller.version) === 'stateless') this.#shared.clientLog.spoke(inbound)
    return pipeline.run(this.call(inbound))
  }

  /** A request of the client, for the stages of the pipeline. */
  call(inbound: Inbound, options?: CallRouting): Call {
    return new Call(inbound, this, options)
  }

  // What the stages of its calls share

  get tasks(): TaskRuns {
    return this.#shared.tasks
  }

  get leastLevel(): LogLevel | undefined {
    return this.#lease === undefined ? undefined : this.#level
  }

  ownConversation({ method }: Call): Line | Promise<Line> {
    // A conversation that was opened now would belong to no client.
    if (this.#closed) return Promise.reject(new ParleyError('session_closed'))
    const line = this.#line
    if (line === undefined)
      return Promise.reject(new ParleyError('not_initialized', { message: `${method} came before initialize` }))
    return line.ready ? line : this.#lineAgain()
  }

  follow(call: Call, line: Line): Promise<Answer> {
    switch (call.method) {
      case 'logging/setLevel':
        return this.#setLevel(call, line)
      case 'resources/subscribe':
        return this.#subscribe(call, line)
      case 'resources/unsubscribe':
        return this.#unsubscribe(call)
      default:
        return this.#shared.listeners.listen(call, line)
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
    if (method === 'notifications/roots/list_changed' && this.#line !== undefined) this.#line.roots.known = undefined
    this.#line?.client.notify(method, params)
  }

  /** Whom the server can ask and tell from now on. */
  attach(session: Session): void {
    this.#session = session
    this.#arrival.arrive(session)
  }

  opened(session: Session): void {
    const line = this.#line
    // A client may have left while its line was being opened.
    if (line === undefined || this.#closed) return
    this.attach(session)
    for (const kind of KINDS) {
      if (line.client.session.hasPeerCapability(kind))
        this.#undo.push(line.followList(kind, this.upstream, () => this.#listChanged(kind, session)))
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

  async #setLevel(call: Call, line: Line): Promise<Body> {
    const level = call.params['level'] as LogLevel
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.upstream.rate.demand()
    await this.#askForLevel(level, line, { signal: call.signal })
    this.#level = level
    return {}
  }

  /** For whoever asks several servers at once: those without log messages are left alone. */
  async wantLevel(level: LogLevel): Promise<void> {
    this.#level = level
    const line = this.#line
    if (line?.client.session.hasPeerCapability('logging')) await this.#askForLevel(level, line)
  }

  /** What others want to hear of stays wanted. */
  async #askForLevel(level: LogLevel, line: Line, options?: EngineRequestOptions): Promise<void> {
    if (this.#lease !== undefined) await line.wantLevel(level)
    else await line.client.setLogLevel(level, options)
  }

  async #subscribe(call: Call, line: Line): Promise<Body> {
    this.upstream.rate.demand()
    if (this.#session === undefined) this.attach(call.session)
    const uri = uriIn(call.params)
    if (this.#subscriptions.has(uri)) return {}
    await this.#subscriptions.add(line, uri, this.#updated, call.keep(costOfTexts([uri]), 'a subscription'))
    return {}
  }

  async #unsubscribe({ params }: Call): Promise<Body> {
    await this.#subscriptions.remove(uriIn(params))
    return {}
  }

  /** For whoever shows this server among others, and knows by which URI the client is to be told. */
  async followResource(uri: string, changed: Changed): Promise<Hold> {
    if (this.#closed) throw new ParleyError('session_closed')
    const line = this.#line?.ready ? this.#line : await this.#lineAgain()
    const { isHeld, stop } = await this.#subscriptions.add(line, uri, this.#noted(changed))
    return { isHeld: () => this.#line?.open === true && isHeld(), stop }
  }

  /**
   * The server was away. Its supervisor says whether it can be had again; a client whose session has outlived the
   * server's does not notice more.
   */
  async #lineAgain(): Promise<Line> {
    this.upstream.demandUp()
    if (this.#line?.open) {
      await this.#line.whenReady(this.upstream.config)
      if (this.#line.open) return this.#line
      this.upstream.demandUp()
    }
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
    return this.#line as Line
  }

  async #reopen(): Promise<void> {
    const session = this.#session
    await this.#openLine(this.#peer as Introduction)
    if (this.#closed) throw new ParleyError('session_closed')
    if (session !== undefined) this.opened(session)
    const line = this.#line as Line
    if (this.#level !== undefined) await this.wantLevel(this.#level).catch(() => {})
    await this.#subscriptions.renew(line)
    if (this.#closed) return
    // Whatever has changed meanwhile nobody has told.
    for (const kind of KINDS) if (line.client.session.hasPeerCapability(kind)) this.#listChanged(kind, session)
  }

  #listChanged(kind: ListKind, session: Session | undefined): void {
    const { view } = this.#shared
    // The gateway may have no conversation of its own that tells it.
    this.upstream.shelf.listChanged(kind)
    if (kind === 'tools') this.upstream.tools.forget()
    if (view === undefined) session?.notify(`notifications/${kind}/list_changed`)
    else view.listChanged(kind)
  }

  #tell(method: string, params: Body): void {
    this.#arrival.tell((session) => session.notify(method, this.#shared.view?.told(method, params) ?? params))
  }

  /** What was kept of a resource is not true any more. */
  #noted(changed: Changed): Changed {
    return (uri) => {
      this.upstream.shelf.updated(uri)
      changed(uri)
    }
  }

  async #openLine(peer: Introduction): Promise<void> {
    this.upstream.demandUp()
    this.#peer = peer
    // What there was before, if anything, is behind us.
    for (const undo of this.#undo.splice(0)) undo()
    this.#lease?.release()
    this.#lease = undefined
    const lease = await this.upstream.lines.share(peer.capabilities)
    const line = lease?.line ?? (await this.#ownLine(peer))
    this.#lease = lease
    if (lease !== undefined) this.#undo.push(line.share((method, params) => this.#tell(method, params)))
    this.#line = line
    if (this.#closed) this.#leave()
  }

  /** A conversation in this client's name, and nobody else's. */
  #ownLine(peer: Introduction): Promise<Line> {
    return this.upstream.openLine({
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
    else if (this.#line?.shared === false) void this.#line.close()
    this.#lease = undefined
  }
}

export function uriIn({ uri }: Body): string {
  if (typeof uri === 'string') return uri
  throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
}

/** One configured server: its supervisor, the conversations the gateway has with it, and what is known of it. */
import { type Capabilities, type Era, ParleyError } from 'parley-mcp'
import {
  type Client,
  type Clock,
  type ConnectOptions,
  connect,
  type Introduction,
  type LinkOpener,
  systemClock,
  systemMint,
} from 'parley-mcp/engine'
import { gatewayInfo, type ServerConfig } from '../config/index.ts'
import { ServerLimit } from '../limits/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { Bulkhead, Supervisor, type UpstreamStatus, upstreamReconnect, withoutBody } from '../supervision/index.ts'
import { abilitiesOf, type ClientAbilities, NO_ABILITIES } from './clients/client-abilities.ts'
import { refuseLoop, viaIn, withVia } from './clients/via.ts'
import { Conversation, type ConversationOwner } from './conversation/conversation.ts'
import { EventLog } from './events.ts'
import { introductionFor, knowingTasks } from './introduction.ts'
import { ListCheck } from './lists/list-check.ts'
import { ListMemory } from './lists/list-memory.ts'
import { Polling } from './lists/polling.ts'
import { ResultCache } from './lists/result-cache.ts'
import { ToolCatalogue } from './lists/tool-catalogue.ts'
import { LogThrottle } from './log-throttle.ts'
import { ClientConversations, type Opening } from './pool/client-conversations.ts'
import { ConversationLog } from './pool/conversation-log.ts'
import { ConversationPool } from './pool/conversation-pool.ts'
import { namingSize, unavailable } from './refusals.ts'
import { keepsByHandle, type UpstreamOptions } from './upstream-options.ts'

const CONVERSATION_IDLE = 1_800_000

export type ListKind = 'tools' | 'prompts' | 'resources'
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']

/** The most calls of one conversation that wait for their clients. */
const MOST_ASKED = 1000

export class Upstream {
  readonly name: string
  /** By which a gateway knows its own server when it meets it in front of itself. */
  readonly id: string = systemMint()
  readonly config: ServerConfig
  readonly supervisor: Supervisor
  readonly bulkhead: Bulkhead
  readonly rate: ServerLimit
  readonly pool: ConversationPool
  /** Those of clients. */
  readonly conversations: ClientConversations
  readonly tools: ToolCatalogue
  /** Answers that may be given again. */
  readonly resultCache: ResultCache
  readonly lists = new ListMemory()
  /** Whether it asks for roots again when they have changed; believed until it does not. */
  asksForRootsAgain = true
  readonly polling: Polling
  readonly clock: Clock
  readonly #options: UpstreamOptions
  readonly #listeners = new Set<(kind: ListKind) => void>()
  #era: Era | undefined
  /** Whether a client that shook hands got a conversation of the other era. */
  #refusesHandshake: boolean | undefined
  #gatewayConversation: Promise<Conversation> | undefined
  #gatewayAbilities: ClientAbilities = NO_ABILITIES
  #openedGatewayConversation: Conversation | undefined
  #introduction: Introduction | undefined
  #closed = false
  #stopIdle: (() => void) | undefined
  readonly #open = new Set<Conversation>()
  readonly #conversationLog: ConversationLog
  readonly #complaints: LogThrottle
  readonly #listCheck: ListCheck

  constructor(config: ServerConfig, options: UpstreamOptions) {
    this.name = config.name
    this.config = config
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.#conversationLog = new ConversationLog({ name: config.name, log: options.log, clock: this.clock })
    this.#complaints = new LogThrottle(config.name, options.log, this.clock)
    this.#listCheck = new ListCheck(config, options.log)
    const { name, target, restart } = config
    const events = new EventLog({
      log: options.log,
      clock: this.clock,
      target,
      help: options.help,
      isHeard: options.onStderr !== undefined,
    })
    this.supervisor = new Supervisor({
      name,
      target,
      restart,
      clock: this.clock,
      random: options.random ?? Math.random,
      log: (event) => {
        if (event.type === 'stderr' && options.onStderr !== undefined) options.onStderr(event.line)
        else events.hear(event)
      },
      maxMessageSize: config.maxMessageSize,
      ...(options.launch && { launch: options.launch }),
      ...(options.severalClients && { severalClients: true }),
    })
    this.bulkhead = new Bulkhead({
      maxConcurrent: config.maxConcurrent,
      maxQueued: config.maxQueued,
      name,
      clock: this.clock,
    })
    this.rate = new ServerLimit({
      server: name,
      limit: config.rateLimit,
      clock: this.clock,
      onRefused: options.onRefused,
    })
    this.supervisor.onStatus(({ state }) => {
      if (state === 'down' || state === 'stopped') this.#giveUp()
    })
    this.pool = new ConversationPool(this)
    this.conversations = new ClientConversations({
      config,
      clock: this.clock,
      log: this.#conversationLog,
      open: ({ info = gatewayInfo, capabilities, owner, lasting, prefer }) =>
        this.#openConversation({ info, capabilities }, owner, lasting, prefer),
      isSessionless: () => this.#isSessionless,
      endOneOpenedAhead: () => this.pool.endOneOpenedAhead(),
    })
    this.tools = new ToolCatalogue(this)
    this.resultCache = new ResultCache(this.clock)
    this.polling = new Polling(this, options.random ?? Math.random)
  }

  get log(): GatewayLog {
    return this.#options.log
  }

  /** As it introduced itself last; unknown before it was ever reached. */
  get introduction(): Introduction | undefined {
    return this.#introduction
  }

  /** Of which era it was when it was last spoken to. */
  get era(): Era | undefined {
    return this.#era
  }

  get version(): string | undefined {
    return this.#openedGatewayConversation?.open ? this.#openedGatewayConversation.client.version : undefined
  }

  status(): UpstreamStatus {
    return this.supervisor.status()
  }

  /** Reaches it if it was never reached. */
  ready(declared?: Capabilities): Promise<void> | undefined {
    return this.#introduction === undefined ? this.gatewayConversation(declared).then(() => undefined) : undefined
  }

  get hasSingleClient(): boolean {
    return this.#options.singleClient === true
  }

  get hasLocalUser(): boolean {
    return this.#options.localUser === true
  }

  /** How long a conversation is kept without use, in milliseconds. */
  get conversationIdle(): number {
    return this.#options.conversationIdle ?? CONVERSATION_IDLE
  }

  /** The conversation of the gateway itself, once it is there. */
  get openedGatewayConversation(): Conversation | undefined {
    return this.#openedGatewayConversation
  }

  /** What the gateway's own conversation can be asked: nothing, unless the gateway has one client only. */
  get gatewayAbilities(): ClientAbilities {
    return this.#gatewayAbilities
  }

  /** The conversation of the gateway itself, by which it knows the server; begun when it is first needed. */
  gatewayConversation(declared?: Capabilities): Promise<Conversation> {
    this.touch()
    if (this.#gatewayConversation === undefined) {
      if (this.#options.singleClient && declared !== undefined) this.#gatewayAbilities = abilitiesOf(declared)
      const opening = this.#openGatewayConversation()
      this.#gatewayConversation = opening
      this.#openedGatewayConversation = undefined
      opening.then(
        (conversation) => this.#settled(conversation, opening),
        () => {
          if (this.#gatewayConversation === opening) this.#gatewayConversation = undefined
        },
      )
    }
    return this.#gatewayConversation
  }

  async #openGatewayConversation(): Promise<Conversation> {
    const conversation = await this.#openConversation(
      { info: gatewayInfo, capabilities: knowingTasks(this.#gatewayAbilities.capabilities) },
      undefined,
      true,
    )
    this.#conversationLog.opened(conversation.client, { kind: 'gateway', isUsers: this.pool.sharesGatewayConversation })
    return conversation
  }

  /** The same when the server is there: while it is away, nobody knows of which era it will come back. */
  async readyGatewayConversation(): Promise<Conversation> {
    for (;;) {
      const conversation = await this.gatewayConversation()
      if (conversation.ready) return conversation
      await conversation.whenReady(this.config)
      if (!conversation.open && this.#openedGatewayConversation === conversation) this.#gatewayConversation = undefined
      this.demandUp()
    }
  }

  /** A server elsewhere that has no sessions has nothing to be spared. */
  get #isSessionless(): boolean {
    const { target } = this.config
    return (
      this.#era === 'stateless' &&
      this.#refusesHandshake !== false &&
      target.kind === 'remote' &&
      /^https?:/i.test(target.url)
    )
  }

  /** Opens a conversation in somebody's name, if there is room for it. */
  openConversation(opening: Opening): Promise<Conversation> {
    this.touch()
    return this.conversations.open(opening)
  }

  async #openConversation(
    identity: Introduction,
    owner: ConversationOwner | undefined,
    lasting: boolean,
    prefer?: 'handshake',
  ): Promise<Conversation> {
    if (this.#closed) throw unavailable(this.name, 'was removed from the configuration')
    const { config } = this
    const conversation = new Conversation(identity, owner, this.#listCheck, (what) =>
      this.#options.onEvent?.({ type: 'ignored', what: 'what is for nobody', detail: what }, this.name),
    )
    const introduced = withVia(identity, [this.id])
    const settings: ConnectOptions = {
      endpoint: {
        introduce: () => introduced,
        answer: (question) => conversation.answer(question),
        notified: (method, params, session, call) => conversation.told(method, params, session, call),
        refusing: (method, error) => conversation.refusing(method, error),
        // D-60: lists are handed on unread, so it is the gateway's own book that knows them.
        headerParams: (tool) => this.tools.headerParamsOfOriginal(tool),
        headersRefused: () => this.tools.relearn(),
      },
      ...(config.versions && { versions: config.versions }),
      ...(config.dialect && { dialect: config.dialect }),
      sessionHandle: this.hasSingleClient,
      // A client that speaks what its server speaks is not moved to another era.
      ...(prefer && !this.#refusesHandshake && { prefer }),
      eras: {
        get: () => this.#era,
        set: (_, era) => {
          this.#era = era
        },
      },
      initialiseTimeout: config.initialiseTimeout,
      timeout: config.timeout,
      keepAlive: { excused: () => this.#worksElsewhere },
      maxTimeout: Math.max(config.timeout, 3_600_000),
      reconnect: lasting ? { ...upstreamReconnect, maxWaiting: config.maxQueued } : false,
      profile: this.#options.translation,
      // The gateway has a memory of its own, for all clients together.
      cache: false,
      clock: this.clock,
      // What clients may send is bounded where it is read.
      limits: { maxBytes: config.maxMessageSize, maxSentBytes: Number.POSITIVE_INFINITY },
      maxPending: config.maxConcurrent + config.maxQueued + MOST_ASKED,
      onError: (error, { during }) => this.#closed || this.#complaints.hear(error, during),
      onEvent: (event) => this.#options.onEvent?.(event, this.name),
    }
    const client = await this.supervisor.attempt((open) => this.#connect(open, settings))
    conversation.client = client
    conversation.hearRoots()
    this.#learn(client, prefer !== undefined)
    if (prefer !== undefined) this.#refusesHandshake = conversation.stateless
    if (this.#closed) {
      await conversation.close()
      throw unavailable(this.name, 'was removed from the configuration')
    }
    this.#open.add(conversation)
    client.onState(({ to }) => to === 'closed' && this.#open.delete(conversation))
    client.onReconnect(() => {
      this.#learn(client, prefer !== undefined)
      conversation.hearRoots()
    })
    return conversation
  }

  /** A server that has this one behind it is none. */
  async #connect(open: LinkOpener, settings: ConnectOptions): Promise<Client> {
    const client = await connect(open, settings)
    try {
      refuseLoop(viaIn(client.session.peer?.capabilities), (id) => id === this.id)
      return client
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /** Told when a list of the server may have changed; the returned function takes the listener away. */
  onListChanged(listener: (kind: ListKind) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A conversation that there is now: that of the gateway itself, or else the oldest. */
  get anyConversation(): Conversation | undefined {
    return this.#openedGatewayConversation?.ready
      ? this.#openedGatewayConversation
      : [...this.#open].find(({ ready }) => ready)
  }

  /** A list has changed, or may have. */
  listChanged(kind: ListKind): void {
    this.resultCache.listChanged(kind)
    if (kind === 'tools') this.tools.forget()
    for (const listener of [...this.#listeners]) listener(kind)
  }

  /** An error of the transport as clients may see it; the log has the whole of it. */
  discreet(thrown: unknown): unknown {
    const error = namingSize(thrown, this.config)
    if (!(error instanceof ParleyError) || error.receivedCode !== undefined || this.#options.severalClients !== true)
      return error
    const message = withoutBody(error.message)
    if (message === error.message) return error
    this.log.warning(`${this.name}: ${error.message}`, { server: this.name })
    return new ParleyError(error.kind, { message, ...(error.data && { data: error.data }), cause: error })
  }

  /** Fails at once what would only wait: the server is given up for a while. */
  demandUp(): void {
    const error = this.supervisor.unavailable()
    if (error !== undefined) throw error
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopIdle?.()
    this.polling.close()
    this.pool.close()
    await Promise.allSettled([...this.#open].map((conversation) => conversation.close()))
    await this.supervisor.stop()
  }

  /** Closes what nobody uses; the next client starts it again. */
  async rest(): Promise<void> {
    const conversation = this.#openedGatewayConversation
    this.#gatewayConversation = undefined
    this.#openedGatewayConversation = undefined
    this.pool.rest()
    await conversation?.close()
  }

  #settled(conversation: Conversation, opening: Promise<Conversation>): void {
    this.#openedGatewayConversation = conversation
    conversation.client.onState(({ to }) => {
      if (to === 'closed' && this.#gatewayConversation === opening) this.#gatewayConversation = undefined
    })
    for (const kind of KINDS) {
      // Also what it does not have: it may come back with it.
      conversation.client.onListChanged(kind, () => this.listChanged(kind))
      // Whoever has read the lists without it reads them again.
      if (conversation.client.session.hasPeerCapability(kind)) this.listChanged(kind)
    }
    // Whoever cannot read the list now reads it when it is needed.
    this.tools.checkSettings().catch(() => {})
  }

  /** It is left alone for a while: whoever waits for it learns that now, and who comes later starts anew. */
  #giveUp(): void {
    const error = this.supervisor.unavailable()
    if (error === undefined || this.#closed) return
    this.bulkhead.dismiss(error)
    for (const conversation of [...this.#open]) void conversation.close()
  }

  #learn(client: Client, prefers = false): void {
    const { peer, era } = client.session
    if (peer !== undefined)
      this.#introduction = introductionFor(
        peer,
        this.#introduction,
        era === 'handshake' && keepsByHandle(this.config, this.#options),
      )
    // Where the configuration leaves one era only, nobody has to find it out. A handshake that was preferred says
    // nothing of the other era.
    if (era !== undefined && !(prefers && era === 'handshake')) this.#era = era
  }

  /** L2, G: a server that nobody needs need not run; it is needed now. */
  touch(): void {
    const { idleStop } = this.config
    if (idleStop === undefined || this.#closed) return
    this.#stopIdle?.()
    this.#stopIdle = this.clock.after(idleStop, () => {
      if (this.#isBusy) this.touch()
      else void this.rest()
    })
  }

  /**
   * Whether it is one program for all conversations, and works on something in any of them: it may be one that can do
   * nothing else meanwhile.
   */
  get #worksElsewhere(): boolean {
    return this.config.target.kind === 'remote' && [...this.#open].some(({ client }) => client.session.excused)
  }

  get #isBusy(): boolean {
    const { running, queued } = this.bulkhead.stats()
    // Who is only now started is needed by whoever had it started.
    const isOpening = this.#gatewayConversation !== undefined && this.#openedGatewayConversation === undefined
    return isOpening || running + queued > 0 || this.pool.busy || [...this.#open].some(({ users }) => users > 0)
  }
}

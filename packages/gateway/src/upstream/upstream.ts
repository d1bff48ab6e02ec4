/** One configured server: its supervisor, the gateway's conversations with it, and what is known about it. */
import { type Capabilities, type Era, ParleyError } from 'parley-mcp'
import { type Clock, type Introduction, systemClock, systemMint } from 'parley-mcp/engine'
import { gatewayInfo, type ServerConfig } from '../config/index.ts'
import { ServerLimit } from '../limits/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { Bulkhead, Supervisor, type UpstreamStatus, withoutBody } from '../supervision/index.ts'
import { abilitiesOf, type ClientAbilities, NO_ABILITIES } from './clients/client-abilities.ts'
import { Connections } from './connections.ts'
import type { Conversation } from './conversation/conversation.ts'
import { EventLog } from './events.ts'
import { knowingTasks } from './introduction.ts'
import { LIST_KINDS, type ListKind } from './lists/list-kinds.ts'
import { ListMemory } from './lists/list-memory.ts'
import { Polling } from './lists/polling.ts'
import { ResultCache } from './lists/result-cache.ts'
import { ToolCatalogue } from './lists/tool-catalogue.ts'
import { ClientConversations, type Opening } from './pool/client-conversations.ts'
import { ConversationLog } from './pool/conversation-log.ts'
import { ConversationPool } from './pool/conversation-pool.ts'
import { namingSize } from './refusals.ts'
import type { UpstreamOptions } from './upstream-options.ts'

const CONVERSATION_IDLE_MS = 1_800_000

export class Upstream {
  readonly name: string
  /** By this id a gateway finds out that it is behind itself. */
  readonly id: string = systemMint()
  readonly config: ServerConfig
  readonly supervisor: Supervisor
  readonly bulkhead: Bulkhead
  readonly rate: ServerLimit
  readonly pool: ConversationPool
  /** The conversations of clients. */
  readonly conversations: ClientConversations
  readonly tools: ToolCatalogue
  readonly resultCache: ResultCache
  readonly lists = new ListMemory()
  readonly polling: Polling
  readonly clock: Clock
  readonly #options: UpstreamOptions
  readonly #connections: Connections
  readonly #conversationLog: ConversationLog
  readonly #listeners = new Set<(kind: ListKind) => void>()
  #gatewayConversation: Promise<Conversation> | undefined
  #openedGatewayConversation: Conversation | undefined
  #gatewayAbilities: ClientAbilities = NO_ABILITIES
  #asksForRootsAgain = true
  #stopIdle: (() => void) | undefined

  constructor(config: ServerConfig, options: UpstreamOptions) {
    this.name = config.name
    this.config = config
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.#conversationLog = new ConversationLog({ name: config.name, log: options.log, clock: this.clock })
    const { name, target, restart } = config
    const events = new EventLog({
      log: options.log,
      clock: this.clock,
      target,
      help: options.help,
      showsStderr: options.onStderr !== undefined,
    })
    this.supervisor = new Supervisor({
      name,
      target,
      restart,
      clock: this.clock,
      random: options.random ?? Math.random,
      log: (event) => {
        if (event.type === 'stderr' && options.onStderr !== undefined) options.onStderr(event.line)
        else events.log(event)
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
    this.tools = new ToolCatalogue(this)
    this.#connections = new Connections(this, options)
    this.pool = new ConversationPool(this)
    this.conversations = new ClientConversations({
      config,
      clock: this.clock,
      log: this.#conversationLog,
      open: ({ info = gatewayInfo, capabilities, owner, lasting, prefer }) =>
        this.#connections.open({ identity: { info, capabilities }, owner, lasting, prefer }),
      isSessionless: () => this.#connections.isSessionless,
      endOneOpenedAhead: () => this.pool.endOneOpenedAhead(),
    })
    this.resultCache = new ResultCache(this.clock)
    this.polling = new Polling(this, options.random ?? Math.random)
  }

  get log(): GatewayLog {
    return this.#options.log
  }

  /** What the server said last about itself. `undefined`: it was never reached. */
  get introduction(): Introduction | undefined {
    return this.#connections.introduction
  }

  /** The era of the server when the gateway last connected to it. */
  get era(): Era | undefined {
    return this.#connections.era
  }

  get version(): string | undefined {
    return this.#openedGatewayConversation?.open ? this.#openedGatewayConversation.client.version : undefined
  }

  status(): UpstreamStatus {
    return this.supervisor.status()
  }

  /** Connects to a server that was never reached. */
  ready(declared?: Capabilities): Promise<void> | undefined {
    return this.introduction === undefined ? this.gatewayConversation(declared).then(() => undefined) : undefined
  }

  get hasSingleClient(): boolean {
    return this.#options.singleClient === true
  }

  get hasLocalUser(): boolean {
    return this.#options.localUser === true
  }

  /** How long an idle conversation is kept, in milliseconds. */
  get conversationIdle(): number {
    return this.#options.conversationIdle ?? CONVERSATION_IDLE_MS
  }

  /** The conversation of the gateway itself, when it is open. */
  get openedGatewayConversation(): Conversation | undefined {
    return this.#openedGatewayConversation
  }

  /** The abilities that the gateway declares in its own conversation. Without a single client it declares none. */
  get gatewayAbilities(): ClientAbilities {
    return this.#gatewayAbilities
  }

  /** The conversation of the gateway itself, in which it learns about the server. Opened when it is first needed. */
  gatewayConversation(declared?: Capabilities): Promise<Conversation> {
    this.touch()
    if (this.#gatewayConversation === undefined) {
      if (this.#options.singleClient && declared !== undefined) this.#gatewayAbilities = abilitiesOf(declared)
      const opening = this.#openGatewayConversation()
      this.#gatewayConversation = opening
      this.#openedGatewayConversation = undefined
      opening.then(
        (conversation) => this.#noteOpened(conversation, opening),
        () => {
          if (this.#gatewayConversation === opening) this.#gatewayConversation = undefined
        },
      )
    }
    return this.#gatewayConversation
  }

  async #openGatewayConversation(): Promise<Conversation> {
    const capabilities = knowingTasks(this.#gatewayAbilities.capabilities)
    const identity = { info: gatewayInfo, capabilities }
    const conversation = await this.#connections.open({ identity, owner: undefined, lasting: true, prefer: undefined })
    this.#conversationLog.opened(conversation.client, { kind: 'gateway', isUsers: this.pool.sharesGatewayConversation })
    return conversation
  }

  /** The same, once the server is connected. A server that is away may come back in another era. */
  async readyGatewayConversation(): Promise<Conversation> {
    for (;;) {
      const conversation = await this.gatewayConversation()
      if (conversation.ready) return conversation
      await conversation.whenReady(this.config)
      if (!conversation.open && this.#openedGatewayConversation === conversation) this.#gatewayConversation = undefined
      this.demandUp()
    }
  }

  /** Opens a conversation for a client, if there is room for it. */
  openConversation(opening: Opening): Promise<Conversation> {
    this.touch()
    return this.conversations.open(opening)
  }

  /** Calls the listener when a list may have changed. The returned function removes the listener. */
  onListChanged(listener: (kind: ListKind) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A connected conversation: that of the gateway itself, or else the oldest. */
  get anyConversation(): Conversation | undefined {
    return this.#openedGatewayConversation?.ready ? this.#openedGatewayConversation : this.#connections.oldest
  }

  /** Whether the server asks for roots again when they have changed. Assumed until it does not. */
  get asksForRootsAgain(): boolean {
    return this.#asksForRootsAgain
  }

  noteRootsChange(hasAsked: boolean): void {
    this.#asksForRootsAgain = hasAsked
  }

  /** A list has changed, or may have changed. */
  listChanged(kind: ListKind): void {
    this.resultCache.listChanged(kind)
    if (kind === 'tools') this.tools.forget()
    for (const listener of [...this.#listeners]) listener(kind)
  }

  /** An error as clients may see it. The log has all of it. */
  errorForClients(thrown: unknown): unknown {
    const error = namingSize(thrown, this.config)
    if (!(error instanceof ParleyError) || error.receivedCode !== undefined || this.#options.severalClients !== true)
      return error
    const message = withoutBody(error.message)
    if (message === error.message) return error
    this.log.warning(`${this.name}: ${error.message}`, { server: this.name })
    return new ParleyError(error.kind, { message, ...(error.data && { data: error.data }), cause: error })
  }

  /** Throws while the server is given up, so that a request does not wait in vain. */
  demandUp(): void {
    const error = this.supervisor.unavailable()
    if (error !== undefined) throw error
  }

  async close(): Promise<void> {
    this.#stopIdle?.()
    this.polling.close()
    this.pool.close()
    await this.#connections.close()
    await this.supervisor.stop()
  }

  /** Closes the conversations that are not in use. The next client opens them again. */
  async rest(): Promise<void> {
    const conversation = this.#openedGatewayConversation
    this.#gatewayConversation = undefined
    this.#openedGatewayConversation = undefined
    this.pool.rest()
    await conversation?.close()
  }

  #noteOpened(conversation: Conversation, opening: Promise<Conversation>): void {
    this.#openedGatewayConversation = conversation
    conversation.client.onState(({ to }) => {
      if (to === 'closed' && this.#gatewayConversation === opening) this.#gatewayConversation = undefined
    })
    for (const kind of LIST_KINDS) {
      // Also for a list that the server does not have now: it may have the list when it comes back.
      conversation.client.onListChanged(kind, () => this.listChanged(kind))
      // Clients that read lists while the server was away must read them again.
      if (conversation.client.session.hasPeerCapability(kind)) this.listChanged(kind)
    }
    // A list that cannot be read now is read when it is needed.
    this.tools.checkSettings().catch(() => {})
  }

  /** The server is given up for a while. Waiting requests fail now, and later clients start it anew. */
  #giveUp(): void {
    const error = this.supervisor.unavailable()
    if (error === undefined || this.#connections.isClosed) return
    this.bulkhead.dismiss(error)
    void this.#connections.closeAll()
  }

  /** L2: the server is in use. A server with `idleStop` stops when it has not been used for that time. */
  touch(): void {
    const { idleStop } = this.config
    if (idleStop === undefined || this.#connections.isClosed) return
    this.#stopIdle?.()
    this.#stopIdle = this.clock.after(idleStop, () => {
      if (this.#isBusy) this.touch()
      else void this.rest()
    })
  }

  get #isBusy(): boolean {
    const { running, queued } = this.bulkhead.stats()
    // A request waits for a server that is being started.
    const isOpening = this.#gatewayConversation !== undefined && this.#openedGatewayConversation === undefined
    return isOpening || running + queued > 0 || this.pool.busy || this.#connections.isUsed
  }
}

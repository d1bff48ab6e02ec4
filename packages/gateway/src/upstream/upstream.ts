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
import { ClientConversations, type Opening } from './client-conversations.ts'
import { Complaints } from './complaints.ts'
import { ConversationLog } from './conversation-log.ts'
import { EventLog } from './events.ts'
import { introductionFor, knowingTasks } from './introduction.ts'
import { Line, type LineOwner } from './line.ts'
import { Lines } from './lines.ts'
import { ListCheck } from './list-check.ts'
import { ListMemory } from './list-memory.ts'
import { Polling } from './polling.ts'
import { EMPTY_PROFILE, type Profile, profileOf } from './profile.ts'
import { namingSize, unavailable } from './refusals.ts'
import { Shelf } from './shelf.ts'
import { ToolBook } from './tool-book.ts'
import { keepsByHandle, type UpstreamOptions } from './upstream-options.ts'
import { refuseCircle, viaIn, withVia } from './via.ts'

const CONVERSATION_IDLE = 1_800_000

export type ListKind = 'tools' | 'prompts' | 'resources'
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']

/** Most calls of one conversation that wait for their clients beside those that wait for the server. */
const MOST_ASKED = 1000

export class Upstream {
  readonly name: string
  /** By which a gateway knows its own server when it meets it in front of itself. */
  readonly id: string = systemMint()
  readonly config: ServerConfig
  readonly supervisor: Supervisor
  readonly bulkhead: Bulkhead
  readonly rate: ServerLimit
  readonly lines: Lines
  /** Those of clients. */
  readonly conversations: ClientConversations
  readonly tools: ToolBook
  /** Answers that may be given again. */
  readonly shelf: Shelf
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
  #home: Promise<Line> | undefined
  #homeProfile: Profile = EMPTY_PROFILE
  #homeLine: Line | undefined
  #introduction: Introduction | undefined
  #closed = false
  #stopIdle: (() => void) | undefined
  readonly #open = new Set<Line>()
  readonly #conversationLog: ConversationLog
  readonly #complaints: Complaints
  readonly #listCheck: ListCheck

  constructor(config: ServerConfig, options: UpstreamOptions) {
    this.name = config.name
    this.config = config
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.#conversationLog = new ConversationLog({ name: config.name, log: options.log, clock: this.clock })
    this.#complaints = new Complaints(config.name, options.log, this.clock)
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
    this.lines = new Lines(this)
    this.conversations = new ClientConversations({
      config,
      clock: this.clock,
      log: this.#conversationLog,
      open: ({ info = gatewayInfo, capabilities, owner, lasting, prefer }) =>
        this.#openLine({ info, capabilities }, owner, lasting, prefer),
      isSessionless: () => this.#isSessionless,
      endSpare: () => this.lines.endSpare(),
    })
    this.tools = new ToolBook(this)
    this.shelf = new Shelf(this.clock)
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
    return this.#homeLine?.open ? this.#homeLine.client.version : undefined
  }

  status(): UpstreamStatus {
    return this.supervisor.status()
  }

  /** Reaches it if it was never reached. */
  ready(declared?: Capabilities): Promise<void> | undefined {
    return this.#introduction === undefined ? this.home(declared).then(() => undefined) : undefined
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
  get homeLine(): Line | undefined {
    return this.#homeLine
  }

  /**
   * What the conversation of the gateway itself can be asked; nothing, unless it is that of its only client as well.
   */
  get homeProfile(): Profile {
    return this.#homeProfile
  }

  /** The conversation of the gateway itself, by which it knows the server; begun when it is first needed. */
  home(declared?: Capabilities): Promise<Line> {
    this.touch()
    if (this.#home === undefined) {
      if (this.#options.singleClient && declared !== undefined) this.#homeProfile = profileOf(declared)
      const opening = this.#openHome()
      this.#home = opening
      this.#homeLine = undefined
      opening.then(
        (line) => this.#settled(line, opening),
        () => {
          if (this.#home === opening) this.#home = undefined
        },
      )
    }
    return this.#home
  }

  async #openHome(): Promise<Line> {
    const line = await this.#openLine(
      { info: gatewayInfo, capabilities: knowingTasks(this.#homeProfile.capabilities) },
      undefined,
      true,
    )
    this.#conversationLog.opened(line.client, { kind: 'gateway', isUsers: this.lines.usesHome })
    return line
  }

  /** The same when the server is there: while it is away, nobody knows of which era it will come back. */
  async homeNow(): Promise<Line> {
    for (;;) {
      const line = await this.home()
      if (line.ready) return line
      await line.whenReady(this.config)
      if (!line.open && this.#homeLine === line) this.#home = undefined
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
  openLine(opening: Opening): Promise<Line> {
    this.touch()
    return this.conversations.open(opening)
  }

  async #openLine(
    identity: Introduction,
    owner: LineOwner | undefined,
    lasting: boolean,
    prefer?: 'handshake',
  ): Promise<Line> {
    if (this.#closed) throw unavailable(this.name, 'was removed from the configuration')
    const { config } = this
    const line = new Line(identity, owner, this.#listCheck, (what) =>
      this.#options.onEvent?.({ type: 'ignored', what: 'what is for nobody', detail: what }, this.name),
    )
    const introduced = withVia(identity, [this.id])
    const settings: ConnectOptions = {
      endpoint: {
        introduce: () => introduced,
        answer: (question) => line.answer(question),
        notified: (method, params, session, call) => line.told(method, params, session, call),
        refusing: (method, error) => line.refusing(method, error),
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
    line.client = client
    line.hearRoots()
    this.#learn(client, prefer !== undefined)
    if (prefer !== undefined) this.#refusesHandshake = line.stateless
    if (this.#closed) {
      await line.close()
      throw unavailable(this.name, 'was removed from the configuration')
    }
    this.#open.add(line)
    client.onState(({ to }) => to === 'closed' && this.#open.delete(line))
    client.onReconnect(() => {
      this.#learn(client, prefer !== undefined)
      line.hearRoots()
    })
    return line
  }

  /** A server that has this one behind it is none. */
  async #connect(open: LinkOpener, settings: ConnectOptions): Promise<Client> {
    const client = await connect(open, settings)
    try {
      refuseCircle(viaIn(client.session.peer?.capabilities), (id) => id === this.id)
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
  get anyLine(): Line | undefined {
    return this.#homeLine?.ready ? this.#homeLine : [...this.#open].find(({ ready }) => ready)
  }

  /** A list has changed, or may have. */
  listChanged(kind: ListKind): void {
    this.shelf.listChanged(kind)
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
    this.lines.close()
    await Promise.allSettled([...this.#open].map((line) => line.close()))
    await this.supervisor.stop()
  }

  /** Closes what nobody uses; the next client starts it again. */
  async rest(): Promise<void> {
    const line = this.#homeLine
    this.#home = undefined
    this.#homeLine = undefined
    this.lines.rest()
    await line?.close()
  }

  #settled(line: Line, opening: Promise<Line>): void {
    this.#homeLine = line
    line.client.onState(({ to }) => {
      if (to === 'closed' && this.#home === opening) this.#home = undefined
    })
    for (const kind of KINDS) {
      // Also what it does not have: it may come back with it.
      line.client.onListChanged(kind, () => this.listChanged(kind))
      // Whoever has read the lists without it reads them again.
      if (line.client.session.hasPeerCapability(kind)) this.listChanged(kind)
    }
    // Whoever cannot read the list now reads it when it is needed.
    this.tools.checkSettings().catch(() => {})
  }

  /** It is left alone for a while: whoever waits for it learns that now, and who comes later starts anew. */
  #giveUp(): void {
    const error = this.supervisor.unavailable()
    if (error === undefined || this.#closed) return
    this.bulkhead.dismiss(error)
    for (const line of [...this.#open]) void line.close()
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
    const isOpening = this.#home !== undefined && this.#homeLine === undefined
    return isOpening || running + queued > 0 || this.lines.busy || [...this.#open].some(({ users }) => users > 0)
  }
}

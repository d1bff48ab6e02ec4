/** The open conversations with one server, and what the server has said about itself in them. */
import type { Era } from 'parley-mcp'
import {
  type Client,
  type Clock,
  type ConnectOptions,
  connect,
  type HeaderParam,
  type Introduction,
  type LinkOpener,
} from 'parley-mcp/engine'
import type { ServerConfig } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { type Supervisor, upstreamReconnect, withoutName } from '../supervision/index.ts'
import { refuseLoop, viaIn, withVia } from './clients/via.ts'
import { Conversation } from './conversation/conversation.ts'
import type { ConversationOwner } from './conversation/server-questions.ts'
import { introductionFor } from './introduction.ts'
import { ListCheck } from './lists/list-check.ts'
import { unavailable } from './refusals.ts'
import { keepsByHandle, type UpstreamOptions } from './upstream-options.ts'

/** How many calls of one conversation may wait for their clients. */
const MAX_WAITING_CALLS = 1000
/** The longest time for a call that reports progress, in milliseconds, unless the configured timeout is longer. */
const MAX_TIMEOUT_MS = 3_600_000

interface ConnectionsHost {
  readonly id: string
  readonly config: ServerConfig
  readonly clock: Clock
  readonly supervisor: Supervisor
  readonly tools: {
    headerParamsOfOriginal(tool: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]>
    readAgain(): Promise<void>
  }
}

export interface NewConversation {
  /** What the gateway tells the server about the client. */
  readonly identity: Introduction
  readonly owner: ConversationOwner | undefined
  /** Whether it is opened again when it is lost. */
  readonly lasting: boolean
  /** The era that its client began with. */
  readonly prefer: 'handshake' | undefined
}

export class Connections {
  readonly #server: ConnectionsHost
  readonly #options: UpstreamOptions
  readonly #open = new Set<Conversation>()
  readonly #listCheck: ListCheck
  readonly #logThrottle: LogThrottle
  #era: Era | undefined
  /** Whether a client that shook hands got a conversation of the stateless era. */
  #refusesHandshake: boolean | undefined
  #introduction: Introduction | undefined
  #isClosed = false

  constructor(server: ConnectionsHost, options: UpstreamOptions) {
    const { config, clock } = server
    this.#server = server
    this.#options = options
    this.#listCheck = new ListCheck(config, options.log)
    this.#logThrottle = new LogThrottle(config.name, options.log, clock)
  }

  /** What the server said last. `undefined`: it was never reached. */
  get introduction(): Introduction | undefined {
    return this.#introduction
  }

  /** The era of the server when the gateway last connected to it. */
  get era(): Era | undefined {
    return this.#era
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether a call or a listener uses one of the conversations. */
  get isUsed(): boolean {
    return [...this.#open].some((conversation) => conversation.isUsed)
  }

  /** The oldest conversation that is connected. */
  get oldest(): Conversation | undefined {
    return [...this.#open].find(({ ready }) => ready)
  }

  /** Whether it is a remote server without sessions. The number of conversations with it needs no limit. */
  get isSessionless(): boolean {
    const { target } = this.#server.config
    return (
      this.#era === 'stateless' &&
      this.#refusesHandshake !== false &&
      target.kind === 'remote' &&
      /^https?:/i.test(target.url)
    )
  }

  async open(opening: NewConversation): Promise<Conversation> {
    this.#refuseWhenClosed()
    const { identity, owner, prefer } = opening
    const { name } = this.#server.config
    const conversation = new Conversation(identity, owner, this.#listCheck, (what) =>
      this.#options.onEvent?.({ type: 'ignored', what: 'a message for no client', detail: what }, name),
    )
    const settings = this.#settingsFor(conversation, opening)
    const client = await this.#server.supervisor.attempt((link) => this.#connect(link, settings))
    conversation.begin(client)
    this.#learn(client, prefer !== undefined)
    if (prefer !== undefined) this.#refusesHandshake = conversation.stateless
    if (this.#isClosed) await conversation.close()
    this.#refuseWhenClosed()
    this.#open.add(conversation)
    client.onState(({ to }) => to === 'closed' && this.#open.delete(conversation))
    client.onReconnect(() => this.#learn(client, prefer !== undefined))
    return conversation
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open].map((conversation) => conversation.close()))
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.closeAll()
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw unavailable(this.#server.config.name, 'was removed from the configuration')
  }

  #settingsFor(conversation: Conversation, { identity, lasting, prefer }: NewConversation): ConnectOptions {
    const { id, config, clock, tools } = this.#server
    const { translation, singleClient, onEvent } = this.#options
    const introduced = withVia(identity, [id])
    return {
      endpoint: {
        introduce: () => introduced,
        answer: (question) => conversation.questions.answer(question),
        notified: (method, params, _session, call) => conversation.notified(method, params, call),
        refusing: (method, error) => conversation.questions.refusing(method, error),
        // D-60: the SDK passes lists on unread, so only the catalogue of the gateway knows the tools.
        headerParams: (tool) => tools.headerParamsOfOriginal(tool),
        headersRefused: () => tools.readAgain(),
      },
      ...(config.versions && { versions: config.versions }),
      ...(config.dialect && { dialect: config.dialect }),
      sessionHandle: singleClient === true,
      // A client and a server of the same era stay in that era.
      ...(prefer && !this.#refusesHandshake && { prefer }),
      eras: {
        get: () => this.#era,
        set: (_, era) => {
          this.#era = era
        },
      },
      initialiseTimeout: config.initialiseTimeout,
      timeout: config.timeout,
      keepAlive: { excused: () => this.#isBusyRemotely },
      maxTimeout: Math.max(config.timeout, MAX_TIMEOUT_MS),
      reconnect: lasting ? { ...upstreamReconnect, maxWaiting: config.maxQueued } : false,
      profile: translation,
      // The gateway has one cache for all clients.
      cache: false,
      clock,
      // The size of what clients send is limited where it is read.
      limits: { maxBytes: config.maxMessageSize, maxSentBytes: Number.POSITIVE_INFINITY },
      maxPending: config.maxConcurrent + config.maxQueued + MAX_WAITING_CALLS,
      onError: (error, { during }) => this.#isClosed || this.#logThrottle.warn(error, during),
      onEvent: (event) => onEvent?.(event, config.name),
    }
  }

  /** Refuses a server that has this gateway behind it. */
  async #connect(open: LinkOpener, settings: ConnectOptions): Promise<Client> {
    const client = await connect(open, settings)
    try {
      refuseLoop(viaIn(client.session.peer?.capabilities), (id) => id === this.#server.id)
      return client
    } catch (error) {
      await client.close()
      throw error
    }
  }

  #learn(client: Client, hasPreference: boolean): void {
    const { peer, era } = client.session
    if (peer !== undefined)
      this.#introduction = introductionFor(
        peer,
        this.#introduction,
        era === 'handshake' && keepsByHandle(this.#server.config, this.#options),
      )
    // The server may have the stateless era as well when the client preferred the handshake.
    if (era !== undefined && !(hasPreference && era === 'handshake')) this.#era = era
  }

  /**
   * Whether the server is one program for all conversations, and works in any of them. It may be unable to answer a
   * ping meanwhile.
   */
  get #isBusyRemotely(): boolean {
    return this.#server.config.target.kind === 'remote' && [...this.#open].some(({ client }) => client.session.excused)
  }
}

const LOG_INTERVAL_MS = 60_000
/** How many different errors are logged in one interval. */
const MAX_ERRORS = 50

/** Logs errors in the conversations. The same error is logged once a minute. */
class LogThrottle {
  readonly #server: string
  readonly #log: GatewayLog
  readonly #clock: Clock
  /** When each message was logged. */
  readonly #loggedAt = new Map<string, number>()

  constructor(server: string, log: GatewayLog, clock: Clock) {
    this.#server = server
    this.#log = log
    this.#clock = clock
  }

  warn(error: unknown, during: string): void {
    const message = `${during}: ${error instanceof Error ? withoutName(this.#server, error.message) : String(error)}`
    const now = this.#clock.now()
    for (const [logged, at] of this.#loggedAt) if (now - at > LOG_INTERVAL_MS) this.#loggedAt.delete(logged)
    if (this.#loggedAt.has(message) || this.#loggedAt.size >= MAX_ERRORS) return
    this.#loggedAt.set(message, now)
    this.#log.warning(`${this.#server}: ${message}`, { server: this.#server })
  }
}

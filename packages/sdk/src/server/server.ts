/**
 * A server is a list of definitions; every link it accepts becomes a conversation of its own, in whatever version the
 * client speaks.
 */

import type { Link, MessageLimits } from '../jsonrpc/index.ts'
import type { LogLevel } from '../protocol/index.ts'
import type { InputOf, OutputOf, SchemaLike, SchemaObject } from '../schema/index.ts'
import {
  type AcceptOptions,
  type Acceptor,
  type CloseOptions,
  type Duration,
  type Identity,
  Session,
  type Stage,
  spokenVersions,
} from '../session/index.ts'
import { type ProtocolVersion, versions } from '../versions/index.ts'
import { answers } from './answers.ts'
import { type CapabilityReport, describeCapabilities } from './capabilities.ts'
import { Conversation } from './conversation.ts'
import type { Definition, DefinitionKind } from './definition.ts'
import { healthOf, type ServerHealth } from './health.ts'
import { type ServerInfo, type ServerOptions, sessionDefaults } from './options.ts'
import { type CapabilitiesObserver, ServerState } from './state.ts'
import type { ToolDefinition } from './tools/tool.ts'

type ToolInput<Input> = Input extends SchemaLike ? InputOf<Input> : Record<string, never>
type ToolOutput<Output> = Output extends SchemaLike ? OutputOf<Output> : undefined

/** By name, what a caller of each tool sends and gets. */
export type ToolsIn<Definitions> = {
  [Tool in Extract<Definitions, ToolDefinition> as Tool['key']]: Tool extends ToolDefinition<
    string,
    infer Input,
    infer Output
  >
    ? { input: ToolInput<Input>; output: ToolOutput<Output> }
    : never
}

export class Server<Definitions extends Definition = never> implements Acceptor<ToolsIn<Definitions>> {
  /** Only a type: never set. */
  declare readonly '~tools'?: ToolsIn<Definitions>
  readonly #state: ServerState

  constructor(info: ServerInfo, options: ServerOptions = {}) {
    this.#state = new ServerState(info, options)
  }

  get info(): Identity {
    return this.#state.info
  }

  /** Ceilings on messages, for transports that must know them before there is a session. */
  get limits(): Partial<MessageLimits> {
    return this.#state.options.limits ?? {}
  }

  /** How long a client may take for the handshake, where the server was created with a time. */
  get initialiseTimeout(): Duration | undefined {
    return this.#state.options.initialiseTimeout
  }

  /** The versions it speaks. */
  get versions(): readonly ProtocolVersion[] {
    return spokenVersions(this.#state.options) ?? versions
  }

  /** Adds all definitions, or none when one of them is a duplicate. Connected clients are notified. */
  add<const Added extends readonly Definition[]>(...definitions: Added): Server<Definitions | Added[number]> {
    this.#state.registry = this.#state.registry.with(definitions)
    return this as never
  }

  /**
   * Adds steps that every request of a client passes before it is answered, the first outermost; the handshake,
   * discovery and pings do not. A stage calls `next(call)` and gives its answer, or throws to refuse. It holds for
   * conversations that begin from now on.
   */
  use(...stages: readonly Stage[]): this {
    this.#state.stages = [...this.#state.stages, ...stages]
    return this
  }

  /**
   * `remove('forecast')` or `remove('prompt', 'forecast')`; resources go by their URI. False when there was nothing.
   */
  remove(name: string): boolean
  remove(kind: DefinitionKind, name: string): boolean
  remove(first: string, second?: string): boolean {
    const before = this.#state.registry
    this.#state.registry =
      second === undefined ? before.without(undefined, first) : before.without(first as DefinitionKind, second)
    return this.#state.registry !== before
  }

  /** Throws for the first definition that could never be listed. Serving calls it. */
  ready(): void {
    this.#state.begin()
  }

  /** What a tool declares as its output, as JSON Schema. */
  outputSchema(tool: string): SchemaObject | Promise<SchemaObject> | undefined {
    return this.#state.registry.tools.get(tool)?.output?.toJsonSchema()
  }

  /** Begins one conversation. */
  accept(link: Link, { onToolError, ...options }: AcceptOptions = {}): Session {
    const state = this.#state
    state.begin()
    const conversation = new Conversation(state, answers, onToolError)
    // Before the session exists, because a link may end while it is being opened.
    state.conversations.add(conversation)
    try {
      const { asking, budgets } = state
      const session = new Session({
        ...sessionDefaults(state.options),
        asking,
        budgets,
        ...options,
        role: 'server',
        link,
        endpoint: conversation,
      })
      conversation.session = session
      if (state.paused) session.pause()
      return session
    } catch (error) {
      state.release(conversation)
      throw error
    }
  }

  /** The conversations whose handshake is complete. */
  get sessions(): readonly Session[] {
    return this.#state.openSessions()
  }

  /** How many subscriptions all sessions have together. */
  get subscriptions(): number {
    return this.#state.subscriptions.count() + this.#state.listeners.resources
  }

  /** Notifies the sessions that subscribed to this resource of a change. */
  updated(uri: string): void {
    this.#state.updated(uri)
  }

  /**
   * To the log of every client that has a session and wants to hear of that level; without sessions only requests are
   * logged for, by `ctx.log`.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    for (const conversation of this.#state.conversations) conversation.log(level, data, logger)
  }

  /** All capabilities a server can have, with what is known about each and whether it is declared. */
  capabilities(): readonly CapabilityReport[] {
    return describeCapabilities(this.#state.declared())
  }

  /** Declares a capability outside the specification, for sessions that begin from now on. */
  experimental(name: string, settings: Record<string, unknown> = {}): this {
    this.#state.declareExperimental(name, settings)
    return this
  }

  /** Called when a change of definitions changes what is declared; returns how to stop that. */
  onCapabilitiesChanged(observer: CapabilitiesObserver): () => void {
    this.#state.observers.add(observer)
    return () => this.#state.observers.delete(observer)
  }

  /** How busy it is, over all conversations. */
  health(): ServerHealth {
    return healthOf(this.#state)
  }

  /** Requests and notifications of all clients wait from now on, also of those that come; pings are answered. */
  pause(): void {
    this.#state.paused = true
    for (const { session } of this.#state.conversations) session?.pause()
  }

  resume(): void {
    this.#state.paused = false
    for (const { session } of this.#state.conversations) session?.resume()
  }

  /** Ends all conversations, and tasks that would outlive them. */
  async close(options?: CloseOptions): Promise<void> {
    await Promise.all([...this.#state.conversations].map(({ session }) => session?.close(options)))
    await this.#state.tasks.close()
  }
}

export function createServer(info: ServerInfo, options?: ServerOptions): Server {
  return new Server(info, options)
}

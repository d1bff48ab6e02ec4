/**
 * One conversation with a server, as a program uses it. Everything is in the newest vocabulary, whatever version is
 * spoken.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Body } from '../jsonrpc/index.ts'
import type {
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListTasksResult,
  ListToolsResult,
  LogLevel,
  LogMessageParams,
  Notifications,
  Prompt,
  ReadResourceResult,
  Requests,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Task,
  Tool,
} from '../protocol/index.ts'
import type { Identity, Introduction, RequestOptions, Session, SessionHealth } from '../session/index.ts'
import type { SkillEntry } from '../skills/index.ts'
import type { Loss, ProtocolVersion } from '../versions/index.ts'
import type { Connection } from './connection/connection.ts'
import { reporter } from './error-reporter.ts'
import { Kept } from './client-state.ts'
import type { LoadedSkill } from './skills/loaded-skill.ts'
import type { ListKind } from './subscriptions/changes.ts'
import type { CallOptions, ConnectOptions } from './options.ts'
import { type CallOutcome, outcomeOf, successOf } from './calls/call-outcome.ts'
import { itemsUnder } from './lists/pages.ts'
import type { PageOptions, ReadOptions } from './lists/cached-reader.ts'
import type { ConnectionState, ReconnectReport, StateChange } from './connection/reconnect.ts'
import { type CompletionTarget, referenceTo } from './reference.ts'
import { ClientSkills } from './skills/client-skills.ts'
import type { Subscription, UpdateHandler } from './subscriptions/subscriptions.ts'
import { ClientTasks, type TaskCallOptions, type TaskHandle } from './tasks/client-tasks.ts'
import type { AnyTools, CallArguments, ToolName, ValueOf } from './calls/tool-types.ts'

/** How the connection is, and the session it runs on. */
export interface ClientHealth extends SessionHealth {
  readonly state: ConnectionState
  /** Requests that wait for the connection to come back. */
  readonly waiting: number
  /** How often the session was replaced. */
  readonly reconnects: number
  /** Attempts to reconnect since the connection was lost; 0 while there is one. */
  readonly attempts: number
  readonly nextAttemptAt: number | undefined
}

export class Client<Tools = AnyTools> implements AsyncDisposable {
  readonly #connection: Connection
  readonly #kept: Kept
  readonly #tasks: ClientTasks

  /** Made by `connect`. */
  constructor(connection: Connection, { cache = true, ...options }: Pick<ConnectOptions, 'cache' | 'onError'> = {}) {
    this.#connection = connection
    this.#tasks = new ClientTasks(connection)
    this.#kept = new Kept(connection, { cache, onError: reporter(options) })
  }

  /** The conversation as it is now; after a reconnect it is another one. */
  get session(): Session {
    return this.#connection.session
  }

  /** `connected`, `reconnecting` or `closed`. */
  get state(): ConnectionState {
    return this.#connection.state
  }

  /** The returned function takes the listener away; so for all that follow. */
  onState(listener: (change: StateChange) => void): () => void {
    return this.#connection.stateChanges.add(listener)
  }

  /** Told after each reconnect what was lost by it. */
  onReconnect(listener: (report: ReconnectReport) => void): () => void {
    return this.#connection.reports.add(listener)
  }

  /** The protocol version both sides agreed on. */
  get version(): ProtocolVersion {
    return this.session.version as ProtocolVersion
  }

  /** Who the server says it is. */
  get server(): Identity {
    return this.#peer.info
  }

  get capabilities(): ServerCapabilities {
    return this.#peer.capabilities as ServerCapabilities
  }

  get instructions(): string | undefined {
    return this.#peer.instructions
  }

  get #peer(): Introduction {
    return this.session.peer as Introduction
  }

  // Tools

  /** Calls a tool; a failure it reports is thrown as `ToolError` unless `throwOnError` is false. */
  call<Name extends ToolName<Tools>>(
    name: Name,
    ...rest: CallArguments<Tools[Name], CallOptions>
  ): Promise<CallOutcome<ValueOf<Tools[Name]>>>
  call(name: string, args?: unknown, options?: CallOptions): Promise<CallOutcome<never>> {
    const params: Body =
      options?.meta === undefined
        ? { name, arguments: args ?? {} }
        : { name, arguments: args ?? {}, _meta: options.meta }
    const convert = this.#converter(name, options)
    if (this.#kept.tools.taskSupportOf(name) === 'required' && this.#tasks.offered)
      return this.#tasks.run(params, options ?? {}, convert) as Promise<never>
    if (this.#tasks.follows) return this.#tasks.call(params, options, convert) as Promise<never>
    const calling = this.#connection.request('tools/call', params, options, convert)
    return (
      this.#tasks.offered
        ? calling.catch((error) => this.#tasks.runIfRequired(error, params, options, convert))
        : calling
    ) as Promise<never>
  }

  /** Begins a call and leaves it running; where there are no tasks, behind the same handle the call runs as ever. */
  callAsTask<Name extends ToolName<Tools>>(
    name: Name,
    ...rest: CallArguments<Tools[Name], TaskCallOptions>
  ): Promise<TaskHandle<ValueOf<Tools[Name]>>>
  callAsTask(name: string, args?: unknown, options: TaskCallOptions = {}): Promise<TaskHandle<never>> {
    const params: Body =
      options.meta === undefined
        ? { name, arguments: args ?? {} }
        : { name, arguments: args ?? {}, _meta: options.meta }
    const possible = this.#kept.tools.taskSupportOf(name) !== 'forbidden'
    return this.#tasks.begin(params, options, this.#converter(name, options), possible) as Promise<TaskHandle<never>>
  }

  /** A call that was begun earlier, by the id of its task. */
  task(taskId: string): TaskHandle {
    return this.#tasks.find(taskId, successOf)
  }

  /** The tasks the server keeps for this client; since 2026-07-28 servers do not tell. */
  async tasks(options?: RequestOptions): Promise<Task[]> {
    this.#tasks.demandList()
    return this.#kept.reading.all(
      'tasks/list',
      options,
      (each) => this.#kept.reading.page('tasks/list', 'tasks', each) as Promise<ListTasksResult>,
      (page) => page.tasks,
    )
  }

  #converter(name: string, options: CallOptions | undefined): (result: Body) => CallOutcome | Promise<CallOutcome> {
    const { local } = this.#connection
    const convert = this.#ordinary(name, options)
    return local === undefined ? convert : local.converting(name, convert)
  }

  #ordinary(name: string, options: CallOptions | undefined): (result: Body) => CallOutcome | Promise<CallOutcome> {
    if (options?.throwOnError === false) return (result) => this.#outcome(name, result, options)
    const check = this.#kept.tools.empty || options?.validate === false ? undefined : this.#kept.tools.checkOf(name)
    return check ?? successOf
  }

  #outcome(name: string, result: Body, options: CallOptions): CallOutcome | Promise<CallOutcome> {
    const check = result['isError'] === true || options.validate === false ? undefined : this.#kept.tools.checkOf(name)
    return check === undefined ? outcomeOf(result) : check(result)
  }

  /** All tools, page after page. From then on structured results are checked against their output schemas. */
  tools(options?: ReadOptions): Promise<Tool[]> {
    return this.#kept.allTools(options)
  }

  listTools(options?: PageOptions): Promise<ListToolsResult> {
    return this.#kept.toolPage(options)
  }

  // Resources

  resources(options?: ReadOptions): Promise<Resource[]> {
    return this.#kept.reading.all(
      'resources/list',
      options,
      (each) => this.listResources(each),
      (page) => page.resources,
    )
  }

  listResources(options?: PageOptions): Promise<ListResourcesResult> {
    return this.#kept.reading.page('resources/list', 'resources', options) as Promise<ListResourcesResult>
  }

  templates(options?: ReadOptions): Promise<ResourceTemplate[]> {
    return this.#kept.reading.all(
      'resources/templates/list',
      options,
      (each) => this.listTemplates(each),
      (page) => page.resourceTemplates,
    )
  }

  listTemplates(options?: PageOptions): Promise<ListResourceTemplatesResult> {
    return this.#kept.reading.page(
      'resources/templates/list',
      'resourceTemplates',
      options,
    ) as Promise<ListResourceTemplatesResult>
  }

  read(uri: string, options?: ReadOptions): Promise<ReadResourceResult> {
    return this.#kept.reading.resource(uri, options) as Promise<ReadResourceResult>
  }

  /** Several handlers of one URI share one subscription on the wire. */
  subscribe(uri: string, handler: UpdateHandler): Promise<Subscription> {
    return this.#kept.subscriptions.add(uri, handler)
  }

  /** The URIs subscribed to; after a reconnect they are subscribed to again. */
  subscriptions(): readonly string[] {
    return this.#kept.subscriptions.uris()
  }

  // Skills

  /** What the server says of its skills; none of their files is read. A server may have more than it lists. */
  skills(options?: ReadOptions): Promise<SkillEntry[]> {
    return new ClientSkills(this.#connection, this.#kept.reading).list(options)
  }

  /** Loads a skill by its entry or the URI of its SKILL.md; throws when it is not what the entry says. */
  skill(wanted: string | SkillEntry, options?: RequestOptions): Promise<LoadedSkill> {
    return new ClientSkills(this.#connection, this.#kept.reading).load(wanted, options)
  }

  // Prompts and completion

  prompts(options?: ReadOptions): Promise<Prompt[]> {
    return this.#kept.reading.all(
      'prompts/list',
      options,
      (each) => this.listPrompts(each),
      (page) => page.prompts,
    )
  }

  listPrompts(options?: PageOptions): Promise<ListPromptsResult> {
    return this.#kept.reading.page('prompts/list', 'prompts', options) as Promise<ListPromptsResult>
  }

  prompt(name: string, args?: Record<string, string>, options?: RequestOptions): Promise<GetPromptResult> {
    const params: Body = args === undefined ? { name } : { name, arguments: args }
    return this.#connection.request('prompts/get', params, options) as Promise<GetPromptResult>
  }

  /** Suggestions for an argument of a prompt or a resource template; `context` is what was filled in already. */
  async complete(
    target: CompletionTarget,
    argument: CompleteParams['argument'],
    context?: Record<string, string>,
    options?: RequestOptions,
  ): Promise<CompleteResult['completion']> {
    const params: Body = { ref: referenceTo(target), argument }
    if (context !== undefined) params['context'] = { arguments: context }
    const { completion } = (await this.#connection.request('completion/complete', params, options)) as CompleteResult
    itemsUnder('completion/complete', 'values', completion ?? {})
    return completion
  }

  // Notifications and logging

  setLogLevel(level: LogLevel, options?: RequestOptions): Promise<void> {
    return this.#kept.logLevel.set(level, options)
  }

  onLog(handler: (message: LogMessageParams) => void): () => void {
    return this.#connection.listeners.add('notifications/message', (params) => handler(params as LogMessageParams))
  }

  onListChanged(kind: ListKind, handler: () => void): () => void {
    return this.#connection.listeners.add(`notifications/${kind}/list_changed`, () => handler())
  }

  /** `*` hears everything. */
  onNotification<M extends keyof Notifications>(
    method: M,
    handler: (params: Notifications[M], method: string) => void,
  ): () => void
  onNotification(method: string, handler: (params: Body, method: string) => void): () => void
  onNotification(method: string, handler: (params: never, method: string) => void): () => void {
    return this.#connection.listeners.add(method, handler as (params: Body, method: string) => void)
  }

  /** Tells the server to ask for the roots again; false when that is not allowed here. */
  rootsChanged(): boolean {
    return this.session.notify('notifications/roots/list_changed')
  }

  // The session underneath

  async ping(options?: RequestOptions): Promise<void> {
    await this.#connection.request('ping', undefined, options)
  }

  request<M extends keyof Requests>(
    method: M,
    params?: Requests[M]['params'],
    options?: RequestOptions,
  ): Promise<Requests[M]['result']>
  request(method: string, params?: Body, options?: RequestOptions): Promise<Body>
  request(method: string, params?: Body, options?: RequestOptions): Promise<Body> {
    return this.#connection.request(method, params, options)
  }

  /** False when the version or the capabilities do not allow it; then nothing was sent. */
  notify(method: string, params?: Body): boolean {
    return this.session.notify(method, params)
  }

  pending(): ReturnType<Session['pending']> {
    return this.session.pending()
  }

  /** What translation between versions could not carry over, with rule ids. */
  losses(): readonly Loss[] {
    return this.session.losses()
  }

  health(): ClientHealth {
    return { ...this.session.health(), state: this.state, ...this.#connection.facts }
  }

  /** Requests and notifications of the server wait from now on; answers are taken, pings are answered. */
  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  /** A second call does nothing. */
  async close(): Promise<void> {
    this.#kept.subscriptions.clear()
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

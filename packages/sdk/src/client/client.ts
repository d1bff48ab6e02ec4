/** A client as programs use it. Its API uses the newest protocol version, whatever version the server speaks. */
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
import { type CallOutcome, outcomeOf, successOf } from './calls/call-outcome.ts'
import type { AnyTools, CallArguments, ToolName, ValueOf } from './calls/tool-types.ts'
import type { ClientState } from './client-state.ts'
import type { Connection } from './connection/connection.ts'
import type { ConnectionState, ReconnectReport, StateChange } from './connection/reconnect.ts'
import type { PageOptions, ReadOptions } from './lists/cached-reader.ts'
import { itemsUnder } from './lists/pages.ts'
import type { CallOptions } from './options.ts'
import { ClientSkills } from './skills/client-skills.ts'
import type { LoadedSkill } from './skills/loaded-skill.ts'
import type { ListKind } from './subscriptions/subjects.ts'
import type { Subscription, UpdateHandler } from './subscriptions/subscriptions.ts'
import { ClientTasks, type TaskCallOptions, type TaskHandle } from './tasks/client-tasks.ts'

/** The health of the connection and of its current session. */
export interface ClientHealth extends SessionHealth {
  readonly state: ConnectionState
  /** Requests that wait for a reconnect. */
  readonly waiting: number
  /** How often the session was replaced. */
  readonly reconnects: number
  /** Attempts to reconnect since the connection was lost. 0 while connected. */
  readonly attempts: number
  readonly nextAttemptAt: number | undefined
}

export class Client<Tools = AnyTools> implements AsyncDisposable {
  readonly #connection: Connection
  readonly #state: ClientState
  readonly #tasks: ClientTasks

  /** Use `connect` to create a client. */
  constructor(connection: Connection) {
    this.#connection = connection
    this.#tasks = new ClientTasks(connection)
    this.#state = connection.clientState
  }

  /** The current session. A reconnect replaces it. */
  get session(): Session {
    return this.#connection.session
  }

  /** `connected`, `reconnecting` or `closed`. */
  get state(): ConnectionState {
    return this.#connection.state
  }

  /** Returns a function that removes the listener, like the other `on…` methods. */
  onState(listener: (change: StateChange) => void): () => void {
    return this.#connection.stateChanges.add(listener)
  }

  /** The listener gets a report after each reconnect. */
  onReconnect(listener: (report: ReconnectReport) => void): () => void {
    return this.#connection.reports.add(listener)
  }

  /** The negotiated protocol version. */
  get version(): ProtocolVersion {
    return this.session.version as ProtocolVersion
  }

  /** The name and version that the server declares. */
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

  /** Calls a tool. Throws a `ToolError` if the tool reports a failure, unless `throwOnError` is false. */
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
    if (this.#state.tools.taskSupportOf(name) === 'required' && this.#tasks.isSupported)
      return this.#tasks.run(params, options ?? {}, convert) as Promise<never>
    if (this.#tasks.mayReceiveTasks) return this.#tasks.call(params, options, convert) as Promise<never>
    const calling = this.#connection.request('tools/call', params, options, convert)
    return (
      this.#tasks.isSupported
        ? calling.catch((error) => this.#tasks.runIfRequired(error, params, options, convert))
        : calling
    ) as Promise<never>
  }

  /** Starts a call as a task. If the server has no tasks, the same handle wraps an ordinary call. */
  callAsTask<Name extends ToolName<Tools>>(
    name: Name,
    ...rest: CallArguments<Tools[Name], TaskCallOptions>
  ): Promise<TaskHandle<ValueOf<Tools[Name]>>>
  callAsTask(name: string, args?: unknown, options: TaskCallOptions = {}): Promise<TaskHandle<never>> {
    const params: Body =
      options.meta === undefined
        ? { name, arguments: args ?? {} }
        : { name, arguments: args ?? {}, _meta: options.meta }
    const possible = this.#state.tools.taskSupportOf(name) !== 'forbidden'
    return this.#tasks.begin(params, options, this.#converter(name, options), possible) as Promise<TaskHandle<never>>
  }

  /** Finds a call that was started earlier, by the id of its task. */
  task(taskId: string): TaskHandle {
    return this.#tasks.find(taskId, successOf)
  }

  /** The tasks of this client. Not available since 2026-07-28. */
  async tasks(options?: RequestOptions): Promise<Task[]> {
    this.#tasks.requireList()
    return this.#state.reader.all(
      'tasks/list',
      options,
      (each) => this.#state.reader.page('tasks/list', 'tasks', each) as Promise<ListTasksResult>,
      (page) => page.tasks,
    )
  }

  #converter(name: string, options: CallOptions | undefined): (result: Body) => CallOutcome | Promise<CallOutcome> {
    const { local } = this.#connection
    const convert = this.#resultConverter(name, options)
    return local === undefined ? convert : local.wrapConvert(name, convert)
  }

  #resultConverter(
    name: string,
    options: CallOptions | undefined,
  ): (result: Body) => CallOutcome | Promise<CallOutcome> {
    if (options?.throwOnError === false) return (result) => this.#checkedOutcome(name, result, options)
    const check = this.#state.tools.empty || options?.validate === false ? undefined : this.#state.tools.checkOf(name)
    return check ?? successOf
  }

  #checkedOutcome(name: string, result: Body, options: CallOptions): CallOutcome | Promise<CallOutcome> {
    const check = result['isError'] === true || options.validate === false ? undefined : this.#state.tools.checkOf(name)
    return check === undefined ? outcomeOf(result) : check(result)
  }

  /** Reads all pages. From then on, structured results are checked against the output schemas. */
  tools(options?: ReadOptions): Promise<Tool[]> {
    return this.#state.allTools(options)
  }

  listTools(options?: PageOptions): Promise<ListToolsResult> {
    return this.#state.toolPage(options)
  }

  // Resources

  resources(options?: ReadOptions): Promise<Resource[]> {
    return this.#state.reader.all(
      'resources/list',
      options,
      (each) => this.listResources(each),
      (page) => page.resources,
    )
  }

  listResources(options?: PageOptions): Promise<ListResourcesResult> {
    return this.#state.reader.page('resources/list', 'resources', options) as Promise<ListResourcesResult>
  }

  templates(options?: ReadOptions): Promise<ResourceTemplate[]> {
    return this.#state.reader.all(
      'resources/templates/list',
      options,
      (each) => this.listTemplates(each),
      (page) => page.resourceTemplates,
    )
  }

  listTemplates(options?: PageOptions): Promise<ListResourceTemplatesResult> {
    return this.#state.reader.page(
      'resources/templates/list',
      'resourceTemplates',
      options,
    ) as Promise<ListResourceTemplatesResult>
  }

  read(uri: string, options?: ReadOptions): Promise<ReadResourceResult> {
    return this.#state.reader.resource(uri, options) as Promise<ReadResourceResult>
  }

  /** Handlers of the same URI share one subscription at the server. */
  subscribe(uri: string, handler: UpdateHandler): Promise<Subscription> {
    return this.#state.subscriptions.add(uri, handler)
  }

  /** The URIs of all subscriptions. They are restored after a reconnect. */
  subscriptions(): readonly string[] {
    return this.#state.subscriptions.uris()
  }

  // Skills

  /** Lists the skills without reading their files. A server may have more skills than it lists. */
  skills(options?: ReadOptions): Promise<SkillEntry[]> {
    return new ClientSkills(this.#connection, this.#state.reader).list(options)
  }

  /** Loads a skill by its entry or by the URI of its SKILL.md. Throws if the files do not match the entry. */
  skill(wanted: string | SkillEntry, options?: RequestOptions): Promise<LoadedSkill> {
    return new ClientSkills(this.#connection, this.#state.reader).load(wanted, options)
  }

  // Prompts and completion

  prompts(options?: ReadOptions): Promise<Prompt[]> {
    return this.#state.reader.all(
      'prompts/list',
      options,
      (each) => this.listPrompts(each),
      (page) => page.prompts,
    )
  }

  listPrompts(options?: PageOptions): Promise<ListPromptsResult> {
    return this.#state.reader.page('prompts/list', 'prompts', options) as Promise<ListPromptsResult>
  }

  prompt(name: string, args?: Record<string, string>, options?: RequestOptions): Promise<GetPromptResult> {
    const params: Body = args === undefined ? { name } : { name, arguments: args }
    return this.#connection.request('prompts/get', params, options) as Promise<GetPromptResult>
  }

  /** Suggests values for an argument of a prompt or a template. `context`: arguments that are already chosen. */
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
    return this.#state.logLevel.set(level, options)
  }

  onLog(handler: (message: LogMessageParams) => void): () => void {
    return this.#connection.listeners.add('notifications/message', (params) => handler(params as LogMessageParams))
  }

  onListChanged(kind: ListKind, handler: () => void): () => void {
    return this.#connection.listeners.add(`notifications/${kind}/list_changed`, () => handler())
  }

  /** `*` gets every notification. */
  onNotification<M extends keyof Notifications>(
    method: M,
    handler: (params: Notifications[M], method: string) => void,
  ): () => void
  onNotification(method: string, handler: (params: Body, method: string) => void): () => void
  onNotification(method: string, handler: (params: never, method: string) => void): () => void {
    return this.#connection.listeners.add(method, handler as (params: Body, method: string) => void)
  }

  /** Tells the server to read the roots again. Returns false if the version or the capabilities do not allow it. */
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

  /** Returns false, and sends nothing, if the version or the capabilities do not allow it. */
  notify(method: string, params?: Body): boolean {
    return this.session.notify(method, params)
  }

  pending(): ReturnType<Session['pending']> {
    return this.session.pending()
  }

  /** What translation between versions lost, with rule ids. */
  losses(): readonly Loss[] {
    return this.session.losses()
  }

  health(): ClientHealth {
    return { ...this.session.health(), state: this.state, ...this.#connection.reconnectStatus }
  }

  /** Holds back requests and notifications of the server. Answers and pings are still handled. */
  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  /** A second call does nothing. */
  async close(): Promise<void> {
    this.#state.subscriptions.clear()
    await this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A reference as in the protocol, or only the name of the prompt or the URI of the resource template. */
export type CompletionTarget = CompleteParams['ref'] | { prompt: string } | { resource: string }

function referenceTo(target: CompletionTarget): CompleteParams['ref'] {
  if ('type' in target) return target
  return 'prompt' in target
    ? { type: 'ref/prompt', name: target.prompt }
    : { type: 'ref/resource', uri: target.resource }
}

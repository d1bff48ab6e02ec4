/** What a client has asked of its server and wants again on every new session, and what it has learnt from it. */
import type { Body } from '../jsonrpc/index.ts'
import type { ListToolsResult, Tool } from '../protocol/index.ts'
import type { Session } from '../session/index.ts'
import type { HeaderParam } from '../versions/index.ts'
import type { Connection, Keeper, Restored } from './connection.ts'
import { KnownTools } from './known-tools.ts'
import { Listening } from './listening.ts'
import { KeptLogLevel } from './log-level.ts'
import { isBelow, type ListKind, listChanged, listKinds, type News, RESOURCE_UPDATED } from './news.ts'
import { type CallOutcome, successOf } from './outcome.ts'
import { type PageOptions, Reading, type ReadOptions } from './reading.ts'
import type { ReconnectReport } from './reconnect.ts'
import { ResponseCache } from './response-cache.ts'
import { Subscribing } from './subscribing.ts'
import { Subscriptions } from './subscriptions.ts'

/** The lists that are out of date when a kind has changed. */
const LISTS_OF: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['tools/list'],
  resources: ['resources/list', 'resources/templates/list', 'skills/list'],
  prompts: ['prompts/list'],
}

/** Milliseconds before a list of tools that was just read is doubted again. */
const PATIENCE = 60_000

export interface KeptOptions {
  /** Whether answers are kept as long as the server allows. */
  readonly cache: boolean
  onError(error: unknown, during: string): void
}

export class Kept implements Keeper {
  readonly subscriptions: Subscriptions
  readonly logLevel: KeptLogLevel
  readonly reading: Reading
  readonly #cache: ResponseCache | undefined
  readonly #connection: Connection
  #tools: KnownTools | undefined
  #relearning: Promise<unknown> | undefined
  #relearntAt = Number.NEGATIVE_INFINITY

  constructor(connection: Connection, { cache, onError }: KeptOptions) {
    this.#connection = connection
    this.#cache = cache ? new ResponseCache(connection.pace.clock) : undefined
    this.reading = new Reading(connection, this.#cache)
    this.logLevel = new KeptLogLevel(connection)
    const listening = new Listening({
      session: () => connection.session,
      ...connection.pace,
      lists: () => listKinds.filter((kind) => connection.listeners.hears(listChanged(kind))),
      missed: (news) => void this.#presume(news),
      onError: (error) => onError(error, 'listening for changes'),
    })
    const ways = { handshake: new Subscribing(connection), stateless: listening }
    this.subscriptions = new Subscriptions(connection, ways, (error) => onError(error, 'subscription handler'))
    connection.keeper = this
  }

  /** Made when something is to be known of tools, which whoever hands messages on never wants. */
  get tools(): KnownTools {
    this.#tools ??= new KnownTools((name, result) => this.#checkAnew(name, result))
    return this.#tools
  }

  /** What is known of the server is corrected before anybody else hears of a change and asks again. */
  began(session: Session): void {
    for (const kind of listKinds) session.onNotification(listChanged(kind), () => this.#listIsOld(kind))
    session.onNotification(RESOURCE_UPDATED, ({ uri }) => this.#resourceIsOld(uri))
  }

  opened(session: Session): void {
    this.logLevel.apply(session)
  }

  /** Somebody has begun or ceased to listen to notifications. */
  listenersChanged(): void {
    this.logLevel.apply(this.#connection.session)
    this.subscriptions.reconsider()
  }

  isRepeatableTool(name: string): boolean {
    return this.#tools?.isRepeatable(name) === true
  }

  headerParams(tool: string): readonly HeaderParam[] | undefined {
    return this.#tools?.headerParamsOf(tool)
  }

  /** Calls that fail together learn together. A list that cannot be had leaves the call to fail as it did. */
  async headersRefused(): Promise<void> {
    this.#relearntAt = this.#connection.pace.clock.now()
    this.#relearning ??= this.allTools({ fresh: true })
      .catch(() => {})
      .finally(() => {
        this.#relearning = undefined
      })
    await this.#relearning
  }

  allTools(options?: ReadOptions): Promise<Tool[]> {
    return this.reading.all(
      'tools/list',
      options,
      (each) => this.toolPage(each),
      (page) => page.tools,
    )
  }

  toolPage(options?: PageOptions): Promise<ListToolsResult> {
    return this.reading.page('tools/list', 'tools', options, (page) =>
      this.#admitTools(page),
    ) as Promise<ListToolsResult>
  }

  async restore(session: Session, before: Session, cause: ReconnectReport['cause']): Promise<Restored> {
    // A renewed connection overlaps with the one before: nothing can have been missed.
    const isSame = cause === 'renewed' && session.version === before.version
    if (!isSame) {
      this.tools.forget()
      this.#cache?.clear()
    }
    const [notRestored, logLevelError] = await Promise.all([
      this.subscriptions.restore(session),
      this.logLevel.restore(session),
    ])
    if (cause === 'renewed') return { notRestored, logLevelError, presumed: [] }
    const lists = listKinds.filter((kind) => session.hasPeerCapability(kind) || before.hasPeerCapability(kind))
    return {
      notRestored,
      logLevelError,
      presumed: this.#presume({ lists: new Set(lists), uris: new Set(this.subscriptions.uris()) }),
    }
  }

  /** Anything may have changed while nobody listened: whoever follows a list or a resource reads it again. */
  #presume({ lists, uris }: News): Restored['presumed'] {
    for (const kind of lists) this.#listIsOld(kind)
    for (const uri of uris) this.#resourceIsOld(uri)
    const { listeners } = this.#connection
    const methods = [...lists].map(listChanged).filter((method) => listeners.presume(method, {}))
    const told = [...uris].filter((uri) => listeners.presume(RESOURCE_UPDATED, { uri }))
    return [...methods.map((method) => ({ method })), ...told.map((uri) => ({ method: RESOURCE_UPDATED, uri }))]
  }

  /**
   * In the stateless era a server may be replaced by a newer one without anybody noticing: before it is blamed for its
   * answer, its list is read again.
   */
  #checkAnew(name: string, result: Body): Promise<CallOutcome> | undefined {
    const { session, pace } = this.#connection
    const sinceLast = pace.clock.now() - this.#relearntAt
    const isNew = this.#relearning === undefined && sinceLast >= 0 && sinceLast < PATIENCE
    if (session.stateful || isNew) return undefined
    return this.headersRefused().then(() => (this.tools.checkOf(name) ?? successOf)(result))
  }

  #listIsOld(kind: ListKind): void {
    if (kind === 'tools') this.tools.forget()
    this.#cache?.forget(LISTS_OF[kind])
  }

  #resourceIsOld(uri: unknown): void {
    if (typeof uri === 'string') this.#cache?.forget(['resources/read'], (read) => read === uri || isBelow(uri, read))
  }

  /**
   * D-46: where arguments travel in headers, a tool that says wrongly which ones cannot be called, so nobody is shown
   * it.
   */
  #admitTools(page: Body): Body {
    const { session } = this.#connection
    const listed = page['tools'] as Tool[]
    const shown =
      session.era === 'stateless' && session.mirrors
        ? this.tools.learnHeaders(listed, (error) => session.reportError(error, 'tools/list'))
        : listed
    // D-47: lists of the stateless era do not tell which calls become tasks.
    this.tools.learn(shown, session.stateful ? 'forbidden' : undefined)
    return shown === listed ? page : { ...page, tools: shown }
  }
}

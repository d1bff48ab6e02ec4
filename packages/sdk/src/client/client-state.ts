/** What a client keeps when its session is replaced: subscriptions, log level, known tools and cached answers. */
import type { Body } from '../jsonrpc/index.ts'
import type { ListToolsResult, Tool } from '../protocol/index.ts'
import type { Session } from '../session/index.ts'
import type { HeaderParam } from '../versions/index.ts'
import { type CallOutcome, successOf } from './calls/call-outcome.ts'
import { KnownTools } from './calls/known-tools.ts'
import type { Connection } from './connection/connection.ts'
import type { ReconnectReport } from './connection/reconnect.ts'
import type { Report } from './error-reporter.ts'
import { CachedReader, type PageOptions, type ReadOptions } from './lists/cached-reader.ts'
import { ResponseCache } from './lists/response-cache.ts'
import { HandshakeSubscriptions } from './subscriptions/handshake-subscriptions.ts'
import { LogLevelSetting } from './subscriptions/log-level.ts'
import { StatelessSubscriptions } from './subscriptions/stateless-subscriptions.ts'
import {
  isBelow,
  type ListKind,
  listChanged,
  listKinds,
  RESOURCE_UPDATED,
  type Subjects,
} from './subscriptions/subjects.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'

/** The lists to drop from the cache when a list has changed. */
const LISTS_OF: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['tools/list'],
  resources: ['resources/list', 'resources/templates/list', 'skills/list'],
  prompts: ['prompts/list'],
}

/** The list of tools is read again for a failed check only once in this time. */
const TOOLS_RELOAD_INTERVAL_MS = 60_000

/** What was restored on a new session. */
export type Restored = Pick<ReconnectReport, 'notRestored' | 'logLevelError' | 'presumed'>

export class ClientState {
  readonly subscriptions: Subscriptions
  readonly logLevel: LogLevelSetting
  readonly reader: CachedReader
  readonly #cache: ResponseCache | undefined
  readonly #connection: Connection
  #tools: KnownTools | undefined
  #reloading: Promise<unknown> | undefined
  #reloadedAt = Number.NEGATIVE_INFINITY

  /** `cache`: whether answers are kept as long as the server allows. */
  constructor(connection: Connection, cache: boolean, report: Report) {
    this.#connection = connection
    this.#cache = cache ? new ResponseCache(connection.retryTiming.clock) : undefined
    this.reader = new CachedReader(connection, this.#cache)
    this.logLevel = new LogLevelSetting(connection)
    const stateless = new StatelessSubscriptions({
      session: () => connection.session,
      ...connection.retryTiming,
      lists: () => listKinds.filter((kind) => connection.listeners.hasListener(listChanged(kind))),
      mayHaveMissed: (subjects) => void this.#presume(subjects),
      onError: (error) => report(error, 'listening for changes'),
    })
    const byEra = { handshake: new HandshakeSubscriptions(connection), stateless }
    this.subscriptions = new Subscriptions(connection, byEra, (error) => report(error, 'subscription handler'))
  }

  /** Created on first use: proxies never need it. */
  get tools(): KnownTools {
    this.#tools ??= new KnownTools((name, result) => this.#checkAgain(name, result))
    return this.#tools
  }

  /** Before the handshake. These handlers come first, so that later ones do not read outdated answers. */
  prepare(session: Session): void {
    for (const kind of listKinds) session.onNotification(listChanged(kind), () => this.#dropList(kind))
    session.onNotification(RESOURCE_UPDATED, ({ uri }) => this.#dropResource(uri))
  }

  /** After the handshake: requests now use this session. */
  opened(session: Session): void {
    this.logLevel.apply(session)
  }

  /** A notification handler was added or removed. */
  listenersChanged(): void {
    this.logLevel.apply(this.#connection.session)
    this.subscriptions.listenersChanged()
  }

  isRepeatableTool(name: string): boolean {
    return this.#tools?.isRepeatable(name) === true
  }

  /** The arguments of a tool that travel in headers. `undefined` if the tool is unknown. */
  headerParams(tool: string): readonly HeaderParam[] | undefined {
    return this.#tools?.headerParamsOf(tool)
  }

  /** The server refused the headers of a call. Calls that fail together share one reload; its failure is ignored. */
  async headersRefused(): Promise<void> {
    this.#reloadedAt = this.#connection.retryTiming.clock.now()
    this.#reloading ??= this.allTools({ fresh: true })
      .catch(() => {})
      .finally(() => {
        this.#reloading = undefined
      })
    await this.#reloading
  }

  allTools(options?: ReadOptions): Promise<Tool[]> {
    return this.reader.all(
      'tools/list',
      options,
      (each) => this.toolPage(each),
      (page) => page.tools,
    )
  }

  toolPage(options?: PageOptions): Promise<ListToolsResult> {
    return this.reader.page('tools/list', 'tools', options, (page) =>
      this.#admitTools(page),
    ) as Promise<ListToolsResult>
  }

  async restore(session: Session, before: Session, cause: ReconnectReport['cause']): Promise<Restored> {
    // A renewed connection overlaps with the previous one, so no notification was missed.
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

  /** Changes may have been missed. Handlers are called as if these lists and resources had changed. */
  #presume({ lists, uris }: Subjects): Restored['presumed'] {
    for (const kind of lists) this.#dropList(kind)
    for (const uri of uris) this.#dropResource(uri)
    const { listeners } = this.#connection
    const methods = [...lists].map(listChanged).filter((method) => listeners.presume(method, {}))
    const updated = [...uris].filter((uri) => listeners.presume(RESOURCE_UPDATED, { uri }))
    return [...methods.map((method) => ({ method })), ...updated.map((uri) => ({ method: RESOURCE_UPDATED, uri }))]
  }

  /**
   * A stateless server may be replaced by a newer version without a notification. If an answer fails its check, the
   * list of tools is read again and the check is repeated.
   */
  #checkAgain(name: string, result: Body): Promise<CallOutcome> | undefined {
    const { session, retryTiming } = this.#connection
    const sinceLast = retryTiming.clock.now() - this.#reloadedAt
    const isRecent = this.#reloading === undefined && sinceLast >= 0 && sinceLast < TOOLS_RELOAD_INTERVAL_MS
    if (session.stateful || isRecent) return undefined
    return this.headersRefused().then(() => (this.tools.checkOf(name) ?? successOf)(result))
  }

  #dropList(kind: ListKind): void {
    if (kind === 'tools') this.tools.forget()
    this.#cache?.forget(LISTS_OF[kind])
  }

  #dropResource(uri: unknown): void {
    if (typeof uri === 'string') this.#cache?.forget(['resources/read'], (read) => read === uri || isBelow(uri, read))
  }

  /** D-46: a tool with invalid header parameters cannot be called over HTTP, so it is left out of the list. */
  #admitTools(page: Body): Body {
    const { session } = this.#connection
    const listed = page['tools'] as Tool[]
    const shown =
      session.era === 'stateless' && session.mirrors
        ? this.tools.learnHeaders(listed, (error) => session.reportError(error, 'tools/list'))
        : listed
    // D-47: a stateless list does not say which calls become tasks.
    this.tools.learn(shown, session.stateful ? 'forbidden' : undefined)
    return shown === listed ? page : { ...page, tools: shown }
  }
}

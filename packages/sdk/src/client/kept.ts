/** What a client has asked of its server and wants again on every new session. */
import type { LogLevel } from '../protocol/index.ts'
import type { Session } from '../session/index.ts'
import type { Connection, Keeper, Restored } from './connection.ts'
import { KnownTools } from './known-tools.ts'
import type { ReconnectReport } from './reconnect.ts'
import { Subscriptions } from './subscriptions.ts'

const LISTS = ['tools', 'resources', 'prompts'] as const

export class Kept implements Keeper {
  readonly tools: KnownTools = new KnownTools()
  readonly subscriptions: Subscriptions
  readonly #connection: Connection
  #logLevel: LogLevel | undefined

  constructor(connection: Connection, onError: (error: unknown) => void) {
    this.#connection = connection
    this.subscriptions = new Subscriptions(connection, onError)
    connection.keeper = this
  }

  set logLevel(level: LogLevel) {
    this.#logLevel = level
  }

  began(session: Session): void {
    session.onNotification('notifications/tools/list_changed', () => this.tools.forget())
  }

  isRepeatableTool(name: string): boolean {
    return this.tools.isRepeatable(name)
  }

  async restore(session: Session, before: Session, cause: ReconnectReport['cause']): Promise<Restored> {
    this.tools.forget()
    const [notRestored, logLevelError] = await Promise.all([this.subscriptions.restore(session), this.#restoreLogLevel(session)])
    // A renewed connection overlaps with the one before: nothing can have been missed.
    return { notRestored, logLevelError, presumed: cause === 'renewed' ? [] : this.#presume(session, before) }
  }

  async #restoreLogLevel(session: Session): Promise<Error | undefined> {
    if (this.#logLevel === undefined) return undefined
    try {
      await session.request('logging/setLevel', { level: this.#logLevel })
      return undefined
    } catch (error) {
      return error as Error
    }
  }

  /** Anything may have changed while nobody listened: whoever follows a list or a resource reads it again. */
  #presume(session: Session, before: Session): Restored['presumed'] {
    const { listeners } = this.#connection
    const lists = LISTS.filter((kind) => session.hasPeerCapability(kind) || before.hasPeerCapability(kind))
    const methods = lists.map((kind) => `notifications/${kind}/list_changed`).filter((method) => listeners.presume(method, {}))
    const uris = this.subscriptions.uris().filter((uri) => listeners.presume('notifications/resources/updated', { uri }))
    return [...methods.map((method) => ({ method })), ...uris.map((uri) => ({ method: 'notifications/resources/updated', uri }))]
  }
}

/** How much a server is asked to log: by a request in the handshake era, with every request since. */
import { ParleyError } from '../errors/index.ts'
import { type LogLevel, logLevels } from '../protocol/index.ts'
import type { RequestOptions, Session } from '../session/index.ts'
import type { Connection } from './connection.ts'
import { undeclared } from './undeclared.ts'

const METHOD = 'logging/setLevel'

export class KeptLogLevel {
  readonly #connection: Connection
  #level: LogLevel | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async set(level: LogLevel, options: RequestOptions | undefined): Promise<void> {
    if (!this.#isPerRequest) {
      try {
        await this.#connection.request(METHOD, { level }, options)
        this.#level = level
        return
      } catch (error) {
        // The connection may have come back in the other era meanwhile.
        if (!this.#isPerRequest) throw error
      }
    }
    const breach = undeclared(this.#connection.session, METHOD)
    if (breach !== undefined) throw breach
    // Every request that follows would be refused for it.
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.#level = level
    this.apply(this.#connection.session)
  }

  /**
   * Servers of the handshake era send everything until they are told otherwise; who listens for that hears as much in
   * the stateless one.
   */
  apply(session: Session): void {
    if (session.stateful) return
    const wanted = this.#level ?? (this.#connection.listeners.hears('notifications/message') ? 'debug' : undefined)
    const level = session.hasPeerCapability('logging') ? wanted : undefined
    if (session.logLevel !== level) session.logLevel = level
  }

  /** On a new session; gives why it was not possible. */
  async restore(session: Session): Promise<Error | undefined> {
    if (this.#level === undefined) return undefined
    if (!session.stateful) return undeclared(session, METHOD)
    try {
      await session.request(METHOD, { level: this.#level })
      return undefined
    } catch (error) {
      return error as Error
    }
  }

  get #isPerRequest(): boolean {
    return !this.#connection.session.stateful
  }
}

/** The log level of a client. The handshake era sets it by a request, the stateless era sends it with each request. */
import { ParleyError } from '../../errors/index.ts'
import { type LogLevel, logLevels } from '../../protocol/index.ts'
import type { RequestOptions, Session } from '../../session/index.ts'
import type { Connection } from '../connection/connection.ts'
import { missingCapability } from './missing-capability.ts'

const METHOD = 'logging/setLevel'

export class LogLevelSetting {
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
        // A reconnect may have changed the era meanwhile.
        if (!this.#isPerRequest) throw error
      }
    }
    const breach = missingCapability(this.#connection.session, METHOD)
    if (breach !== undefined) throw breach
    // The server would refuse all later requests.
    if (!logLevels.includes(level))
      throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.#level = level
    this.apply(this.#connection.session)
  }

  /** Handshake-era servers send all messages by default. With a log handler, the stateless era does the same. */
  apply(session: Session): void {
    if (session.stateful) return
    const wanted =
      this.#level ?? (this.#connection.listeners.hasListener('notifications/message') ? 'debug' : undefined)
    const level = session.hasPeerCapability('logging') ? wanted : undefined
    if (session.logLevel !== level) session.logLevel = level
  }

  /** Sets the level on a new session. Returns the error of a failure. */
  async restore(session: Session): Promise<Error | undefined> {
    if (this.#level === undefined) return undefined
    if (!session.stateful) return missingCapability(session, METHOD)
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

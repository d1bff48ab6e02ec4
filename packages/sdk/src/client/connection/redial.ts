/** Tries to open a session again and again, ever more patiently, until there is one or hope is lost. */
import { ParleyError } from '../../errors/index.ts'
import type { Clock, Session } from '../../session/index.ts'
import type { Backoff } from '../../timing/index.ts'
import type { Hope } from './reconnect.ts'

export interface RedialOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly backoff: Backoff
  readonly retries: number
  readonly dial: (signal: AbortSignal) => Promise<Session>
  readonly onSession: (session: Session, attempts: number) => void
  readonly judge: (error: Error) => Hope
  /** An attempt failed in a way that those who wait are to be told; there will be another one. */
  readonly onTold?: (error: Error) => void
  readonly onGivenUp: (error: Error | undefined) => void
}

export class Redial {
  readonly #options: RedialOptions
  /** Failures in a row; a connection that does not last is one, too. */
  #failures = 0
  /** Attempts since the connection was lost. */
  #attempts = 0
  #nextAt: number | undefined
  #abort: AbortController | undefined
  #cancelTimer: (() => void) | undefined

  constructor(options: RedialOptions) {
    this.#options = options
  }

  get attempts(): number {
    return this.#attempts
  }

  /** When the next attempt is due; undefined while one is under way or none is needed. */
  get nextAt(): number | undefined {
    return this.#nextAt
  }

  /**
   * `afresh` forgets earlier failures; `atOnce` does not wait before the first attempt, because the server is known to
   * be there.
   */
  start(reason: Error | undefined, { afresh, atOnce }: { afresh: boolean; atOnce: boolean }): void {
    this.stop()
    this.#attempts = 0
    if (afresh) this.#failures = 0
    this.#schedule(reason, atOnce)
  }

  stop(): void {
    this.#nextAt = undefined
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  #schedule(reason: Error | undefined, atOnce = false): void {
    const { clock, random, backoff, retries, judge, onTold, onGivenUp } = this.#options
    const hope = reason === undefined ? 'again' : judge(reason)
    if (this.#failures >= retries || hope === 'stop') return onGivenUp(reason)
    const delay = atOnce && this.#failures === 0 ? 0 : backoff.delayBefore(this.#failures, random())
    this.#nextAt = clock.now() + delay
    // Whoever waits for the connection waits for this timer, too.
    this.#cancelTimer = clock.after(delay, () => void this.#try(), true)
    if (hope === 'tell') onTold?.(reason as Error)
  }

  async #try(): Promise<void> {
    this.#nextAt = undefined
    this.#cancelTimer = undefined
    this.#failures++
    this.#attempts++
    const abort = new AbortController()
    this.#abort = abort
    let session: Session
    try {
      session = await this.#options.dial(abort.signal)
    } catch (error) {
      if (this.#abort === abort) this.#schedule(error as Error)
      return
    }
    if (this.#abort !== abort) return void session.close()
    if (!session.open)
      return this.#schedule(
        new ParleyError('connection_closed', { message: 'The server ended the connection right after the handshake' }),
      )
    this.#abort = undefined
    this.#options.onSession(session, this.#attempts)
  }
}

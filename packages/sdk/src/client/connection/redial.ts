/** Tries to open a session, with growing delays, until one opens or the attempts are given up. */
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
  /** An attempt failed, and waiting requests fail with this error. Another attempt follows. */
  readonly onReject?: (error: Error) => void
  readonly onGivenUp: (error: Error | undefined) => void
}

export class Redial {
  readonly #options: RedialOptions
  /** Failures in a row. A connection that is lost soon counts as one. */
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

  /** When the next attempt starts. Undefined during an attempt and when none is needed. */
  get nextAt(): number | undefined {
    return this.#nextAt
  }

  /** `immediately` skips the first delay, for a server that is known to be reachable. */
  start(
    reason: Error | undefined,
    { resetFailures, immediately }: { resetFailures: boolean; immediately: boolean },
  ): void {
    this.stop()
    this.#attempts = 0
    if (resetFailures) this.#failures = 0
    this.#schedule(reason, immediately)
  }

  stop(): void {
    this.#nextAt = undefined
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#abort?.abort()
    this.#abort = undefined
  }

  #schedule(reason: Error | undefined, immediately = false): void {
    const { clock, random, backoff, retries, judge, onReject, onGivenUp } = this.#options
    const decision = reason === undefined ? 'again' : judge(reason)
    if (this.#failures >= retries || decision === 'stop') return onGivenUp(reason)
    const delay = immediately && this.#failures === 0 ? 0 : backoff.delayBefore(this.#failures, random())
    this.#nextAt = clock.now() + delay
    // The timer keeps the process alive: requests may wait for the connection.
    this.#cancelTimer = clock.after(delay, () => void this.#try(), true)
    if (decision === 'tell') onReject?.(reason as Error)
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

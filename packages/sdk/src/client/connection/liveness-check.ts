/** Asks a server whether it still answers, for links that stay open when messages do not get through. */
import { ParleyError } from '../../errors/index.ts'
import type { Duration, KeepAliveSettings, RequestOptions, Session } from '../../session/index.ts'

export class LivenessCheck {
  readonly #timeout: Duration
  readonly #excused: () => boolean
  readonly #onAlive: (session: Session) => void
  #session: Session | undefined
  #probe: RequestOptions | undefined

  constructor({ timeout = '10s', excused = () => false }: KeepAliveSettings, onAlive: (session: Session) => void) {
    this.#timeout = timeout
    this.#excused = excused
    this.#onAlive = onAlive
  }

  /** Whether these are the options of the probe, which belongs to one session only. */
  isProbe(options: RequestOptions | undefined): boolean {
    return options !== undefined && options === this.#probe
  }

  /** Closes the session unless the server answers. */
  start(session: Session): void {
    if (this.#session === session) return
    this.#session = session
    const probe: RequestOptions = { timeout: this.#timeout }
    this.#probe = probe
    const settle = () => {
      if (this.#session === session) this.#session = undefined
    }
    session.ping(probe).then(
      () => {
        settle()
        this.#onAlive(session)
      },
      (error: unknown) => {
        settle()
        // Any answer proves that the server is alive.
        if (error instanceof ParleyError && error.receivedCode !== undefined) this.#onAlive(session)
        else if (isTimeout(error) && (session.excused || this.#excused())) return
        else void session.close({ reason: error as Error })
      },
    )
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ParleyError && error.kind === 'request_timeout'
}

/** Some links live on when messages do not get through: whether the server does is worth a question. */
import { ParleyError } from '../../errors/index.ts'
import type { Duration, KeepAliveSettings, RequestOptions, Session } from '../../session/index.ts'

export class Doubt {
  readonly #timeout: Duration
  readonly #excused: () => boolean
  readonly #onAlive: (session: Session) => void
  #session: Session | undefined
  #question: RequestOptions | undefined

  constructor({ timeout = '10s', excused = () => false }: KeepAliveSettings, onAlive: (session: Session) => void) {
    this.#timeout = timeout
    this.#excused = excused
    this.#onAlive = onAlive
  }

  /** Whether these are the options of the question itself, which is about one session and no other. */
  isQuestion(options: RequestOptions | undefined): boolean {
    return options !== undefined && options === this.#question
  }

  /** Ends the session unless it answers. */
  cast(session: Session): void {
    if (this.#session === session) return
    this.#session = session
    const question: RequestOptions = { timeout: this.#timeout }
    this.#question = question
    const settle = () => {
      if (this.#session === session) this.#session = undefined
    }
    session.ping(question).then(
      () => {
        settle()
        this.#onAlive(session)
      },
      (error: unknown) => {
        settle()
        // Any answer is a sign of life.
        if (error instanceof ParleyError && error.receivedCode !== undefined) this.#onAlive(session)
        else if (isSilence(error) && (session.excused || this.#excused())) return
        else void session.close({ reason: error as Error })
      },
    )
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof ParleyError && error.kind === 'request_timeout'
}

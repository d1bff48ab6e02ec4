/**
 * The turn of one call in a conversation where a question names no call. The call lends the turn while its client
 * answers a question, and takes it again before the server gets the answer.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Conversation, MutexOptions, TurnHolder } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import type { CallTurn } from '../call-site.ts'

/** How long a call keeps the turn after a question, in milliseconds, because it may have another question. */
const LEND_DELAY_MS = 1000

export class HeldTurn implements CallTurn, TurnHolder {
  readonly #questions: Conversation['questions']
  readonly #clock: Clock
  #call: Call
  #end: (() => void) | undefined
  #stopLending: (() => void) | undefined
  #takingAgain: Promise<void> | undefined
  #isOver = false

  private constructor({ questions }: Conversation, call: Call, clock: Clock) {
    this.#questions = questions
    this.#call = call
    this.#clock = clock
  }

  static async take(conversation: Conversation, call: Call, clock: Clock, options: MutexOptions): Promise<HeldTurn> {
    const turn = new HeldTurn(conversation, call, clock)
    await turn.#take(options)
    call.holdTurn(turn)
    return turn
  }

  get call(): Call {
    return this.#call
  }

  /** The work continues as another call, which gets the questions from now on. */
  handTo(call: Call): void {
    this.#call = call
    call.holdTurn(this)
  }

  /**
   * Lets other calls continue while the client answers. The returned function resolves when this call has the turn
   * again.
   */
  lend(): () => Promise<void> {
    this.#stopLending ??= this.#clock.after(LEND_DELAY_MS, () => this.#release())
    return () => {
      this.#stopLending?.()
      this.#stopLending = undefined
      if (this.#end !== undefined || this.#isOver) return Promise.resolve()
      // The answer of a user is not refused because other calls wait.
      this.#takingAgain ??= this.#take({ maxQueued: Number.POSITIVE_INFINITY }).finally(() => {
        this.#takingAgain = undefined
      })
      return this.#takingAgain
    }
  }

  /** The call is over. */
  end(): void {
    this.#isOver = true
    this.#stopLending?.()
    this.#release()
  }

  async #take(options: MutexOptions): Promise<void> {
    const end = await this.#questions.takeTurn(this, options)
    if (this.#isOver) return end()
    this.#end = end
  }

  #release(): void {
    const end = this.#end
    if (end === undefined) return
    this.#end = undefined
    end()
  }
}

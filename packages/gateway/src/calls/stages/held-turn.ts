/**
 * The turn of one call in a conversation where a question names no call: the call gives it up while its client thinks,
 * and has it again before the server goes on.
 */
import type { Clock } from 'parley-mcp/engine'
import type { Conversation, MutexOptions } from '../../upstream/index.ts'
import type { Call } from '../call.ts'

/**
 * Questions of one call may come shortly after each other: so many milliseconds after one, the next is still of the
 * same call.
 */
const LENT_AFTER = 1000

export class HeldTurn {
  readonly #conversation: Conversation
  readonly #clock: Clock
  #call: Call
  #end: (() => void) | undefined
  #stopLending: (() => void) | undefined
  #again: Promise<void> | undefined
  #isOver = false

  private constructor(conversation: Conversation, call: Call, clock: Clock) {
    this.#conversation = conversation
    this.#call = call
    this.#clock = clock
  }

  static async take(conversation: Conversation, call: Call, clock: Clock, options: MutexOptions): Promise<HeldTurn> {
    const turn = new HeldTurn(conversation, call, clock)
    await turn.#take(options)
    call.turn = turn
    return turn
  }

  /** The work goes on under another name: what is asked now is asked of that one. */
  handTo(call: Call): void {
    this.#call = call
    call.turn = this
    if (this.#end !== undefined) this.#conversation.holder = call
  }

  /**
   * The client was asked: meanwhile other calls go on. The returned function waits until it is the turn of this call
   * again.
   */
  lend(): () => Promise<void> {
    this.#stopLending ??= this.#clock.after(LENT_AFTER, () => this.#give())
    return () => {
      this.#stopLending?.()
      this.#stopLending = undefined
      if (this.#end !== undefined || this.#isOver) return Promise.resolve()
      // An answer of a person is not refused because others wait as well.
      this.#again ??= this.#take({ maxQueued: Number.POSITIVE_INFINITY }).finally(() => {
        this.#again = undefined
      })
      return this.#again
    }
  }

  /** The call is over. */
  end(): void {
    this.#isOver = true
    this.#stopLending?.()
    this.#give()
  }

  async #take(options: MutexOptions): Promise<void> {
    const end = await this.#conversation.turns.take(options)
    if (this.#isOver) return end()
    this.#end = end
    this.#conversation.holder = this.#call
  }

  #give(): void {
    const end = this.#end
    if (end === undefined) return
    this.#end = undefined
    this.#conversation.holder = undefined
    end()
  }
}

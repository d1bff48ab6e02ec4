/** Where the answer to a request goes when not straight to the link: the answers of a batch leave together. */
import type { RequestId } from '../../jsonrpc/index.ts'
import type { BatchAnswer } from '../../versions/index.ts'

export interface Reply {
  answer(id: RequestId, text: string): void
  /** The request was cancelled and gets no answer. */
  skip(id: RequestId): void
}

export class BatchReply implements Reply {
  readonly #answer: BatchAnswer
  readonly #send: (text: string | undefined) => void

  /** `send` is called once; without a text when all requests were cancelled. */
  constructor(answer: BatchAnswer, send: (text: string | undefined) => void) {
    this.#answer = answer
    this.#send = send
  }

  answer(id: RequestId, text: string): void {
    this.#sendIfComplete(this.#answer.answer(id, text))
  }

  skip(id: RequestId): void {
    this.#sendIfComplete(this.#answer.abandon(id))
  }

  #sendIfComplete(text: string | undefined): void {
    if (text !== undefined || this.#answer.awaited.length === 0) this.#send(text)
  }
}

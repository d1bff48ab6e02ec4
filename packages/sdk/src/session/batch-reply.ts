/** Where the answer to a request goes when not straight to the link: the answers of a batch leave together. */

export interface Reply {
  answer(text: string): void
  /** The request was cancelled and gets no answer. */
  skip(): void
}

export class BatchReply implements Reply {
  readonly #answers: string[] = []
  readonly #send: (text: string | undefined) => void
  #open: number

  /** `send` is called once; without a text when every request was cancelled. */
  constructor(expected: number, send: (text: string | undefined) => void) {
    this.#open = expected
    this.#send = send
  }

  answer(text: string): void {
    this.#answers.push(text)
    this.skip()
  }

  skip(): void {
    this.#open--
    if (this.#open === 0) this.#send(this.#answers.length > 0 ? `[${this.#answers.join(',')}]` : undefined)
  }
}

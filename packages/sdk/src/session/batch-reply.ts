/** Where the answer to a request goes when not straight to the link: the answers of a batch leave together. */

export interface Reply {
  answer(text: string): void
  /** The request was cancelled and gets no answer. */
  skip(): void
}

export class BatchReply implements Reply {
  readonly #answers: string[] = []
  readonly #send: (text: string) => void
  #open: number

  constructor(expected: number, send: (text: string) => void) {
    this.#open = expected
    this.#send = send
  }

  answer(text: string): void {
    this.#answers.push(text)
    this.skip()
  }

  skip(): void {
    this.#open--
    if (this.#open === 0 && this.#answers.length > 0) this.#send(`[${this.#answers.join(',')}]`)
  }
}

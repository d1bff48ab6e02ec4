/** What somebody at the terminal types, line by line. */
import { createInterface, type Interface } from 'node:readline'
import type { CliIo } from '../io.ts'

export class Lines {
  readonly #io: CliIo
  #reading: Interface | undefined
  #iterator: AsyncIterator<string> | undefined

  constructor(io: CliIo) {
    this.#io = io
  }

  /** Undefined when there is nobody any more, or nobody is asked any more. */
  async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined
    this.#io.stderr.write(prompt)
    // The terminal itself edits the line, so that Ctrl-C still reaches this program.
    this.#reading ??= createInterface({ input: this.#io.stdin, terminal: false })
    this.#iterator ??= this.#reading[Symbol.asyncIterator]()
    const aborted = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    )
    const next = await Promise.race([this.#iterator.next(), aborted])
    return next === undefined || next.done === true ? undefined : next.value
  }

  /** Nothing waits for input any longer. */
  close(): void {
    this.#reading?.close()
  }
}

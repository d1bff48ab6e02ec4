/** The transport of the published SDKs, over one of our links. */
import type { Link } from '../../src/jsonrpc/index.ts'

/** Each frame gets a turn of its own: their clients lose progress that comes in one turn with the result. */
export class LinkTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: never) => void
  readonly #link: Link
  constructor(link: Link) {
    this.#link = link
  }
  async start(): Promise<void> {
    this.#link.open({
      frame: (text) => void setImmediate(() => this.onmessage?.(JSON.parse(text) as never)),
      closed: () => void setImmediate(() => this.onclose?.()),
    })
  }
  async send(message: unknown): Promise<void> {
    this.#link.send(JSON.stringify(message))
  }
  async close(): Promise<void> {
    this.#link.close()
  }
}

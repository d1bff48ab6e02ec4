/** Checks whether a process behaves like a server before its first message. Error messages use the result. */
import { isStrayLine, type LinkEvents, wrappedEvents } from '../../jsonrpc/index.ts'

const MAX_QUOTED_LENGTH = 200

export class OutputCheck {
  readonly #name: string
  #firstSent: string | undefined
  #strayLine: string | undefined
  #echoes = false
  #watching = true

  constructor(name: string) {
    this.#name = name
  }

  sent(frame: string): void {
    this.#firstSent ??= frame
  }

  watch(events: LinkEvents): LinkEvents {
    return wrappedEvents(events, {
      frame: (text, parsed, origin) => {
        if (this.#watching) this.#check(text)
        events.frame(text, parsed, origin)
      },
    })
  }

  symptoms(): string | undefined {
    if (this.#echoes) return `${JSON.stringify(this.#name)} echoes its input; is it an MCP server?`
    if (this.#strayLine === undefined || !this.#watching) return undefined
    const [name, line] = [JSON.stringify(this.#name), JSON.stringify(this.#strayLine)]
    return `${name} wrote to its standard output what is no message: ${line}; is it an MCP server, and does it log to standard error?`
  }

  #check(text: string): void {
    const line = text.trim()
    if (line === this.#firstSent) this.#echoes = true
    // One message proves that the program is a server.
    if (line === '') return
    if (!isStrayLine(line)) this.#watching = false
    else this.#strayLine ??= line.length > MAX_QUOTED_LENGTH ? `${line.slice(0, MAX_QUOTED_LENGTH)}…` : line
  }
}

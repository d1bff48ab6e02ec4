/** Whether a process behaves like a server until its first message, for the error message when it does not. */
import { isStrayLine, type LinkEvents, wrappedEvents } from '../../jsonrpc/index.ts'

const EXCERPT = 200

export class FirstManners {
  readonly #name: string
  #firstSent: string | undefined
  #junk: string | undefined
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
        if (this.#watching) this.#look(text)
        events.frame(text, parsed, origin)
      },
    })
  }

  symptoms(): string | undefined {
    if (this.#echoes) return `${JSON.stringify(this.#name)} echoes its input; is it an MCP server?`
    if (this.#junk === undefined || !this.#watching) return undefined
    const [name, junk] = [JSON.stringify(this.#name), JSON.stringify(this.#junk)]
    return `${name} wrote to its standard output what is no message: ${junk}; is it an MCP server, and does it log to standard error?`
  }

  #look(text: string): void {
    const line = text.trim()
    if (line === this.#firstSent) this.#echoes = true
    // One message is enough to know that there is somebody who speaks the language.
    if (line === '') return
    if (!isStrayLine(line)) this.#watching = false
    else this.#junk ??= line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line
  }
}

/** The serving end of a TCP connection: whoever does not begin with JSON-RPC came to the wrong port, and is hung up on. */
import { type Incoming, type Link, type LinkEvents, parse } from '../jsonrpc/index.ts'

/**
 * Nobody is asked who they are over TCP, so every web page could have a browser post to this port: lines in the body would be read as
 * messages. But it has to begin with lines of HTTP, and they end it here. After the handshake bad lines are only answered, as elsewhere.
 */
export class TcpOpening implements Link {
  readonly #link: Link
  #settled = false

  constructor(link: Link) {
    this.#link = link
  }

  get transport(): string {
    return this.#link.transport
  }

  open(events: LinkEvents): void {
    this.#link.open({
      ...(events.maxBytes === undefined ? {} : { maxBytes: events.maxBytes }),
      frame: (text, parsed) => {
        const stray = !this.#settled && isStray(text, parsed)
        // The session says what is wrong with it before the end.
        events.frame(text, parsed)
        if (stray) this.#link.close()
      },
      closed: (reason) => events.closed(reason),
    })
  }

  send(frame: string): void {
    this.#link.send(frame)
  }

  close(): void | Promise<void> {
    return this.#link.close()
  }

  negotiated(): void {
    this.#settled = true
  }
}

function isStray(text: string, parsed: Incoming | undefined): boolean {
  return (parsed ?? parse(text)).kind === 'invalid'
}

/** The serving end of a TCP connection: whoever does not begin with JSON-RPC came to the wrong port, and is hung up on. */
import { type Incoming, isObject, type Link, type LinkEvents, parse } from '../jsonrpc/index.ts'
import { META } from '../versions/index.ts'

/**
 * Nobody is asked who they are over TCP, so every web page could have a browser post to this port: lines in the body would be read as
 * messages. But it has to begin with lines of HTTP, and they end it here. After the handshake, or a request that needs none, bad lines are
 * only answered, as elsewhere.
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
        const opening = this.#settled ? undefined : (parsed ?? parse(text))
        if (opening !== undefined && speaksForItself(opening)) this.#settled = true
        // The session says what is wrong with it before the end.
        events.frame(text, parsed)
        if (opening?.kind === 'invalid') this.#link.close()
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

/** D-01: a request of the stateless era. */
function speaksForItself(opening: Incoming): boolean {
  const meta = opening.kind === 'request' ? opening.message.params?.['_meta'] : undefined
  return isObject(meta) && Object.hasOwn(meta, META.version)
}

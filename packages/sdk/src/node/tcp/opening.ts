/**
 * The serving end of a TCP connection: whoever does not begin with JSON-RPC came to the wrong port, and is hung up on.
 */
import {
  type Incoming,
  isObject,
  type Link,
  type LinkEvents,
  parse,
  WrappedLink,
  wrappedEvents,
} from '../../jsonrpc/index.ts'
import { META } from '../../versions/index.ts'

/**
 * Nobody is asked who they are over TCP, so every web page could have a browser post to this port: lines in the body
 * would be read as messages. But it has to begin with lines of HTTP, and they end it here. After the handshake, or a
 * request that needs none, bad lines are only answered, as elsewhere.
 */
export class TcpOpening extends WrappedLink {
  #settled = false

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          const opening = this.#settled ? undefined : (parsed ?? parse(text))
          if (opening !== undefined && speaksForItself(opening)) this.#settled = true
          // The session says what is wrong with it before the end.
          events.frame(text, parsed, origin)
          if (opening?.kind === 'invalid') super.close()
        },
      }),
    )
  }

  override get negotiated(): NonNullable<Link['negotiated']> {
    const negotiated = super.negotiated
    return (version) => {
      this.#settled = true
      negotiated?.(version)
    }
  }
}

/** D-01: a request of the stateless era. */
function speaksForItself(opening: Incoming): boolean {
  const meta = opening.kind === 'request' ? opening.message.params?.['_meta'] : undefined
  return isObject(meta) && Object.hasOwn(meta, META.version)
}

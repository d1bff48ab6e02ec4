/** Closes TCP connections of clients that do not begin with JSON-RPC. */
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
 * TCP has no authentication, so a web page could make a browser post to this port, and lines of the body would be read
 * as messages. But such a post begins with lines of HTTP, and they close the connection. After the handshake, or after
 * a stateless request, invalid lines are only answered, as in other transports.
 */
export class FirstMessageGuard extends WrappedLink {
  #isTrusted = false

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          const opening = this.#isTrusted ? undefined : (parsed ?? parse(text))
          if (opening !== undefined && isStatelessRequest(opening)) this.#isTrusted = true
          // The session answers with an error before the connection closes.
          events.frame(text, parsed, origin)
          if (opening?.kind === 'invalid') super.close()
        },
      }),
    )
  }

  override get negotiated(): NonNullable<Link['negotiated']> {
    const negotiated = super.negotiated
    return (version) => {
      this.#isTrusted = true
      negotiated?.(version)
    }
  }
}

/** D-01: a request of the stateless era. */
function isStatelessRequest(opening: Incoming): boolean {
  const meta = opening.kind === 'request' ? opening.message.params?.['_meta'] : undefined
  return isObject(meta) && Object.hasOwn(meta, META.version)
}

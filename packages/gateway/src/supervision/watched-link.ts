/** A link that tells a watcher about the first answer of its server, and about the link's end. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import {
  isObject,
  isStrayLine,
  type Link,
  type LinkEvents,
  type SendOptions,
  WrappedLink,
  wrappedEvents,
} from 'parley-mcp/engine'

export interface LinkWatcher {
  /** The server has answered a request. */
  proved(): void
  /** The gateway closed the link. `failure`: the last send error, if the server never answered. */
  closed(failure: Error | undefined): void
  /** The gateway closed the link because the server does not answer. */
  silent(reason: ParleyError): void
  /** The link ended by itself. Returns the error for the link's user. */
  ended(reason: Error | undefined): Error
  /** Called with an error while messages do not reach the server, and with undefined when they do again. */
  trouble(error: Error | undefined): void
  /** Optional: the server sent a line that is not a message. */
  stray?(line: string): void
}

export class WatchedLink extends WrappedLink {
  readonly #watcher: LinkWatcher
  /** Whether the first frame asks for the server's era. Undefined before the first frame. */
  #probes: boolean | undefined
  #proved = false
  #over = false
  #failure: Error | undefined
  #troubled = false
  #reason: Error | undefined
  #closing: void | Promise<void> = undefined

  constructor(link: Link, watcher: LinkWatcher) {
    super(link)
    this.#watcher = watcher
  }

  get proved(): boolean {
    return this.#proved
  }

  get over(): boolean {
    return this.#over
  }

  /**
   * Whether the only request was the question for the server's era (V4). A server that ends after it is started again
   * and gets `initialize`.
   */
  get onlyProbed(): boolean {
    return !this.#proved && this.#probes === true
  }

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          if (this.#watcher.stray !== undefined && !hasFrameOfMessage(text) && isStrayLine(text))
            this.#watcher.stray(text)
          if (!this.#proved && isResult(text)) this.#prove()
          if (this.#troubled) this.#setTrouble(undefined)
          events.frame(text, parsed, origin)
        },
        failed: (request, error) => {
          if (!this.#proved) this.#failure = error
          if (isUnreached(error)) this.#setTrouble(error)
          events.failed?.(request, error)
        },
        closed: (reason) => {
          if (!this.#over) {
            this.#over = true
            this.#reason = this.#watcher.ended(reason)
          }
          events.closed(this.#reason)
        },
      }),
    )
  }

  override send(frame: string, options?: SendOptions): void {
    this.#probes ??= frame.slice(0, 1000).includes('"server/discover"')
    super.send(frame, options)
  }

  /** `reason`: the error for the link's user, if another part of the gateway closes the link. */
  override close(reason?: Error): void | Promise<void> {
    if (!this.#over) {
      this.#over = true
      this.#reason = reason
      this.#closing = super.close(reason)
      if (isSilence(reason) && this.#failure === undefined) this.#watcher.silent(reason)
      else this.#watcher.closed(this.#failure)
    }
    return this.#closing
  }

  /** Defined even if the inner link does not use it. */
  override get negotiated(): NonNullable<Link['negotiated']> {
    const negotiated = super.negotiated
    return (version) => {
      this.#prove()
      negotiated?.(version)
    }
  }

  #setTrouble(error: Error | undefined): void {
    this.#troubled = error !== undefined
    this.#watcher.trouble(error)
  }

  #prove(): void {
    if (this.#proved || this.#over) return
    this.#proved = true
    this.#failure = undefined
    this.#watcher.proved()
  }
}

/** Nearly every library writes the version first or last. A line with this shape is not parsed a second time. */
const HEAD = '{"jsonrpc":"2.0","'
const TAIL = /,"jsonrpc":"2\.0"(?:,"id":(?:"[^"\\]{0,60}"|\d{1,16}))?\}\s*$/
const TAIL_LENGTH = 110

function hasFrameOfMessage(text: string): boolean {
  return text.startsWith(HEAD) || (text.startsWith('{"') && TAIL.test(text.slice(-TAIL_LENGTH)))
}

function isResult(frame: string): boolean {
  try {
    const message: unknown = JSON.parse(frame)
    return isObject(message) && Object.hasOwn(message, 'result')
  } catch {
    return false
  }
}

/** The server was not reached. A server that answers with an error status was reached. */
function isUnreached(error: Error): boolean {
  return error instanceof ParleyError && error.kind === 'transport_error' && error.data?.['status'] === undefined
}

/** Reasons with which a session ends if its peer does not answer. */
const SILENCE: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'peer_unresponsive',
  'request_timeout',
  'initialization_timeout',
])

function isSilence(reason: Error | undefined): reason is ParleyError {
  return reason instanceof ParleyError && SILENCE.has(reason.kind)
}

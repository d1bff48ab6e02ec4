/** A link that tells a watcher when its server has proved to be one, and when and by whom it was ended. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import { isObject, isStrayLine, type Link, type LinkEvents, type SendOptions, WrappedLink, wrappedEvents } from 'parley-mcp/engine'

export interface LinkWatcher {
  /** The server has answered a request. */
  proved(): void
  /** It was closed from here; `failure` says what did not get through if nothing ever came back. */
  closed(failure: Error | undefined): void
  /** It was closed from here because the server says nothing any more, or never did. */
  silent(reason: ParleyError): void
  /** It ended without having been closed from here. What this gives is the reason its user is told. */
  ended(reason: Error | undefined): Error
  /** Nothing gets through for the moment, or something has again. */
  trouble(error: Error | undefined): void
  /** Something came that is no message; only where somebody wants to know. */
  stray?(line: string): void
}

export class WatchedLink extends WrappedLink {
  readonly #watcher: LinkWatcher
  /** Whether the first that was sent asks of which era the server is; unknown before anything was. */
  #probes: boolean | undefined
  #proved = false
  #over = false
  #failure: Error | undefined
  #troubled = false
  #reason: Error | undefined
  #farewell: void | Promise<void> = undefined

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

  /** Whether all it was ever asked is of which era it is (V4): a server that does not survive that is asked again, in the way older ones know. */
  get onlyProbed(): boolean {
    return !this.#proved && this.#probes === true
  }

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          if (this.#watcher.stray !== undefined && !hasFrameOfMessage(text) && isStrayLine(text)) this.#watcher.stray(text)
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

  /** `reason` is what its user is told, who has not asked for it. */
  override close(reason?: Error): void | Promise<void> {
    if (!this.#over) {
      this.#over = true
      this.#reason = reason
      this.#farewell = super.close(reason)
      if (isSilence(reason) && this.#failure === undefined) this.#watcher.silent(reason)
      else this.#watcher.closed(this.#failure)
    }
    return this.#farewell
  }

  /** There even where the link has no use for it. */
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

/** How nearly every library writes a message: the version first or last. No log line looks so, and no such line is parsed twice. */
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

/** Nobody was there; one that answers with an error is. */
function isUnreached(error: Error): boolean {
  return error instanceof ParleyError && error.kind === 'transport_error' && error.data?.['status'] === undefined
}

/** How sessions end whose peer is there, and does not answer. */
const SILENCE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['peer_unresponsive', 'request_timeout', 'initialization_timeout'])

function isSilence(reason: Error | undefined): reason is ParleyError {
  return reason instanceof ParleyError && SILENCE.has(reason.kind)
}

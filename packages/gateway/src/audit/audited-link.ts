/** A client's link that passes each request and each answer to a `LinkAccount`, which writes the receipts. */
import {
  type Link,
  type LinkEvents,
  type MessageLimits,
  parse,
  type RequestMessage,
  type SendOptions,
  WrappedLink,
  wrappedEvents,
} from 'parley-mcp/engine'
import type { LinkAccount } from './link-account.ts'

export class AuditedLink extends WrappedLink {
  readonly #account: LinkAccount
  readonly #onMissed: (cause: unknown) => void
  readonly #limits: MessageLimits

  constructor(inner: Link, account: LinkAccount, onMissed: (cause: unknown) => void, limits: MessageLimits) {
    super(inner)
    this.#account = account
    this.#onMissed = onMissed
    this.#limits = limits
  }

  override open(events: LinkEvents): void {
    const account = this.#account
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          // Parsed once, for the session as well.
          const incoming = parsed ?? parse(text, this.#limits)
          this.#note(() => account.received(incoming, origin))
          events.frame(text, incoming, origin)
        },
        abandoned: (request) => {
          this.#note(() => account.cancelled(request))
          events.abandoned?.(request)
        },
        closed: (reason) => {
          events.closed(reason)
          this.#note(() => account.closed())
        },
      }),
    )
  }

  /** The client gets the frame before the receipt is written. */
  override send(frame: string, options?: SendOptions): void {
    super.send(frame, options)
    this.#note(() => this.#sent(frame, options))
  }

  #sent(frame: string, { relatedTo, final, asks, withdraws }: SendOptions = {}): void {
    if (final === true && relatedTo !== undefined) this.#account.answered(relatedTo, frame)
    else if (asks !== undefined && asks !== 'ping') this.#account.asked(JSON.parse(frame) as RequestMessage, relatedTo)
    else if (withdraws !== undefined) this.#account.withdrawn(withdraws)
  }

  /** An error of the audit must not harm the conversation. */
  #note(take: () => void): void {
    try {
      take()
    } catch (cause) {
      this.#onMissed(cause)
    }
  }

  override close(): void | Promise<void> {
    const closing = super.close()
    this.#note(() => this.#account.closed())
    return closing
  }

  override get negotiated(): NonNullable<Link['negotiated']> {
    const inner = super.negotiated
    return (version) => {
      this.#account.protocol = version
      inner?.(version)
    }
  }

  override get abandon(): NonNullable<Link['abandon']> {
    const inner = super.abandon
    return (request) => {
      this.#note(() => this.#account.cancelled(request))
      inner?.(request)
    }
  }

  override get withdraw(): Link['withdraw'] {
    const inner = super.withdraw
    return (
      inner &&
      ((request) => {
        this.#note(() => this.#account.withdrawn(request))
        inner(request)
      })
    )
  }
}

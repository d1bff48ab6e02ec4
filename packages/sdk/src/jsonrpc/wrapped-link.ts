/** The base of links that wrap another link. It passes everything on, so a wrapper defines only its changes. */
import type { Link, LinkEvents, SendOptions } from './link.ts'

/** All members, the optional ones as well: a new member of links does not compile until it is wrapped. */
type AllMembers<T> = { readonly [K in keyof Required<T>]: T[K] }

/**
 * Optional members are getters, because sessions ask whether a link has them, and some links find that out later. A
 * wrapper that changes one overrides the getter, unlike `open`, `send` and `close`.
 */
export class WrappedLink implements Link, AllMembers<Link> {
  readonly #inner: Link

  constructor(inner: Link) {
    this.#inner = inner
  }

  get transport(): string {
    return this.#inner.transport
  }

  open(events: LinkEvents): void {
    this.#inner.open(events)
  }

  send(frame: string, options?: SendOptions): void {
    this.#inner.send(frame, options)
  }

  close(reason?: Error): void | Promise<void> {
    return this.#inner.close(reason)
  }

  get listening(): Link['listening'] {
    return this.#inner.listening
  }

  get hears(): Link['hears'] {
    return this.#inner.hears
  }

  get remembered(): Link['remembered'] {
    return this.#inner.remembered
  }

  get mirrors(): Link['mirrors'] {
    return this.#inner.mirrors
  }

  get negotiated(): Link['negotiated'] {
    return this.#inner.negotiated?.bind(this.#inner)
  }

  get abandon(): Link['abandon'] {
    return this.#inner.abandon?.bind(this.#inner)
  }

  get withdraw(): Link['withdraw'] {
    return this.#inner.withdraw?.bind(this.#inner)
  }

  get release(): Link['release'] {
    return this.#inner.release?.bind(this.#inner)
  }
}

/**
 * The events for the inner link: those of the outer side, with changes. An absent event stays absent, because links
 * depend on that: without `failed` they make an error answer.
 */
export function wrappedEvents(events: LinkEvents, changed: Partial<LinkEvents>): LinkEvents {
  const wrapped: AllMembers<LinkEvents> = {
    maxBytes: changed.maxBytes ?? events.maxBytes,
    frame: changed.frame ?? events.frame.bind(events),
    abandoned: events.abandoned && (changed.abandoned ?? events.abandoned.bind(events)),
    failed: events.failed && (changed.failed ?? events.failed.bind(events)),
    released: events.released && (changed.released ?? events.released.bind(events)),
    closed: changed.closed ?? events.closed.bind(events),
  }
  return wrapped
}

/** What every link around a link is made of: it passes on everything, so that a wrapper says only what it changes. */
import type { Link, LinkEvents, SendOptions } from './link.ts'

/** Every member must be there, the optional ones as well: whoever adds one to links is told here. */
type Whole<T> = { readonly [K in keyof Required<T>]: T[K] }

/**
 * What the inner link lacks, this one lacks: sessions ask whether a link has `withdraw`, and some links only find out
 * later whether they do. So the optional methods are getters, and a wrapper that changes one overrides the getter,
 * unlike `open`, `send` and `close`.
 */
export class WrappedLink implements Link, Whole<Link> {
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
 * The events for the inner link: those of the outer side, but for the changed ones. What the outer side does not hear
 * of, the wrapper is not told either, because links ask for that, too: one that can tell nobody of a failure makes up
 * an answer.
 */
export function wrappedEvents(events: LinkEvents, changed: Partial<LinkEvents>): LinkEvents {
  const wrapped: Whole<LinkEvents> = {
    maxBytes: changed.maxBytes ?? events.maxBytes,
    frame: changed.frame ?? events.frame.bind(events),
    abandoned: events.abandoned && (changed.abandoned ?? events.abandoned.bind(events)),
    failed: events.failed && (changed.failed ?? events.failed.bind(events)),
    released: events.released && (changed.released ?? events.released.bind(events)),
    closed: changed.closed ?? events.closed.bind(events),
  }
  return wrapped
}

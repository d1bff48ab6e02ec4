/** What every link around a link is made of: it passes on everything, so that a wrapper says only what it changes. */
import type { Link, LinkEvents, SendOptions } from './link.ts'

/** Every member, the optional ones as well: what a new one would be lost by does not compile. */
type Whole<T> = { readonly [K in keyof Required<T>]: T[K] }

/**
 * What the inner link lacks, this one lacks: sessions ask whether a link has `withdraw`, and some links only find out later whether they do.
 * So the optional methods are getters, and a wrapper that changes one overrides the getter, unlike `open`, `send` and `close`.
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

  close(): void | Promise<void> {
    return this.#inner.close()
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
 * The events for the inner link: those of the outer side, but for the changed ones. Whoever changes `failed` has it only where the outer side
 * has it, because a link that can tell nobody makes up an answer.
 */
export function wrappedEvents(events: LinkEvents, changed: Partial<LinkEvents>): LinkEvents {
  const forwarded: Whole<LinkEvents> = {
    maxBytes: events.maxBytes,
    frame: events.frame.bind(events),
    abandoned: events.abandoned?.bind(events),
    failed: events.failed?.bind(events),
    released: events.released?.bind(events),
    closed: events.closed.bind(events),
  }
  return { ...forwarded, ...changed }
}

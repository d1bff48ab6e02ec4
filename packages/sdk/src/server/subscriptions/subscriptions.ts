/** Subscriptions to changes of resources. They end with their conversation (M7). */

export class ResourceSubscriptions<Subscriber> {
  readonly #byUri = new Map<string, Set<Subscriber>>()
  /** By URI: what is to be done when it ends. */
  readonly #bySubscriber = new Map<Subscriber, Map<string, () => void>>()
  readonly #touched = new Set<string>()
  readonly #tell: (subscriber: Subscriber, uri: string) => void

  constructor(tell: (subscriber: Subscriber, uri: string) => void) {
    this.#tell = tell
  }

  /** The number of subscriptions, of all or of one subscriber. */
  count(subscriber?: Subscriber): number {
    if (subscriber !== undefined) return this.#bySubscriber.get(subscriber)?.size ?? 0
    let total = 0
    for (const uris of this.#bySubscriber.values()) total += uris.size
    return total
  }

  has(subscriber: Subscriber, uri: string): boolean {
    return this.#bySubscriber.get(subscriber)?.has(uri) ?? false
  }

  /** `onEnd` is called once, when the subscription ends. One that is there already stays as it is. */
  add(subscriber: Subscriber, uri: string, onEnd: () => void = NOTHING): void {
    if (this.has(subscriber, uri)) return onEnd()
    this.#byUri.set(uri, (this.#byUri.get(uri) ?? new Set()).add(subscriber))
    this.#bySubscriber.set(
      subscriber,
      (this.#bySubscriber.get(subscriber) ?? new Map<string, () => void>()).set(uri, onEnd),
    )
  }

  /** Empty collections are not kept: keys come from peers. */
  remove(subscriber: Subscriber, uri: string): void {
    const own = this.#bySubscriber.get(subscriber)
    const onEnd = own?.get(uri)
    if (own === undefined || onEnd === undefined) return
    own.delete(uri)
    if (own.size === 0) this.#bySubscriber.delete(subscriber)
    const subscribers = this.#byUri.get(uri)
    if (subscribers?.delete(subscriber) && subscribers.size === 0) this.#byUri.delete(uri)
    onEnd()
  }

  removeAll(subscriber: Subscriber): void {
    for (const uri of [...(this.#bySubscriber.get(subscriber)?.keys() ?? [])]) this.remove(subscriber, uri)
  }

  /** Calls each subscriber once, however often it is called in one turn. */
  updated(uri: string): void {
    if (!this.#byUri.has(uri)) return
    if (this.#touched.size === 0) queueMicrotask(this.#flush)
    this.#touched.add(uri)
  }

  readonly #flush = (): void => {
    const uris = [...this.#touched]
    this.#touched.clear()
    for (const uri of uris) for (const subscriber of this.#byUri.get(uri) ?? []) this.#tell(subscriber, uri)
  }
}

const NOTHING = (): void => {}

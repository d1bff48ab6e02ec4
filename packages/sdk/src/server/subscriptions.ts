/** Who wants to hear of changes to which resource. They end with their conversation (M7). */

export class Subscriptions<Subscriber> {
  readonly #byUri = new Map<string, Set<Subscriber>>()
  readonly #bySubscriber = new Map<Subscriber, Set<string>>()
  readonly #touched = new Set<string>()
  readonly #tell: (subscriber: Subscriber, uri: string) => void

  constructor(tell: (subscriber: Subscriber, uri: string) => void) {
    this.#tell = tell
  }

  /** How many there are, all together or of one subscriber. */
  count(subscriber?: Subscriber): number {
    if (subscriber !== undefined) return this.#bySubscriber.get(subscriber)?.size ?? 0
    let total = 0
    for (const uris of this.#bySubscriber.values()) total += uris.size
    return total
  }

  has(subscriber: Subscriber, uri: string): boolean {
    return this.#bySubscriber.get(subscriber)?.has(uri) ?? false
  }

  add(subscriber: Subscriber, uri: string): void {
    put(this.#byUri, uri, subscriber)
    put(this.#bySubscriber, subscriber, uri)
  }

  remove(subscriber: Subscriber, uri: string): void {
    take(this.#byUri, uri, subscriber)
    take(this.#bySubscriber, subscriber, uri)
  }

  removeAll(subscriber: Subscriber): void {
    for (const uri of this.#bySubscriber.get(subscriber) ?? []) take(this.#byUri, uri, subscriber)
    this.#bySubscriber.delete(subscriber)
  }

  /** Tells every subscriber once, however often it is called in one go. */
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

function put<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, new Set([value]))
  else values.add(value)
}

/** Empty sets are not kept: keys come from peers. */
function take<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values?.delete(value) && values.size === 0) map.delete(key)
}

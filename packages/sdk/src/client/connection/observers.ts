/** Calls a set of observers. An observer that throws does not affect the others. */

export class Observers<Event> {
  #observers: Set<{ readonly notify: (event: Event) => unknown }> | undefined
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#observers?.size ?? 0
  }

  /** Returns a function that removes the observer. It returns false when the observer was removed before. */
  add(notify: (event: Event) => unknown): () => boolean {
    // A new object, so that the same function can be added twice.
    const observer = { notify }
    this.#observers ??= new Set()
    this.#observers.add(observer)
    return () => this.#observers?.delete(observer) === true
  }

  notify(event: Event): void {
    for (const { notify } of [...(this.#observers ?? [])]) {
      try {
        const outcome = notify(event)
        if (outcome instanceof Promise) outcome.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

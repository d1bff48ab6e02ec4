/** Those who want to hear of something; one that throws harms no other. */

export class Observers<Told> {
  #observers: Set<{ readonly tell: (told: Told) => unknown }> | undefined
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(tell: (told: Told) => unknown): () => void {
    // An object of its own, so that the same function may be given twice.
    const observer = { tell }
    this.#observers ??= new Set()
    this.#observers.add(observer)
    return () => this.#observers?.delete(observer)
  }

  tell(told: Told): void {
    for (const { tell } of [...(this.#observers ?? [])]) {
      try {
        const outcome = tell(told)
        if (outcome instanceof Promise) outcome.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

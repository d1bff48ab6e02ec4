/**
 * Aborts an HTTP request. It creates an `AbortSignal` only on demand, because every message over HTTP has one of these.
 * On Node an `AbortSignal` survives minor collections, with everything that its listeners reference, and that was a
 * large part of the cost of a message.
 */
export class LazyAbortController {
  #aborted = false
  #reason: unknown
  #listeners: (() => void)[] | undefined
  #controller: AbortController | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  /** For `fetch` and other functions that need a real signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Only the first call has an effect. */
  abort(reason: unknown = new DOMException('The request was aborted', 'AbortError')): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  /** The listener is called once, and not at all if this was aborted before. */
  on(listener: () => void): void {
    if (this.#aborted) return
    if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  off(listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at !== -1) this.#listeners?.splice(at, 1)
  }
}

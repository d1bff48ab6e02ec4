/**
 * Word that nobody waits for a response any more. Every message over HTTP has one, and an `AbortSignal` would be too
 * much for that: on Node each of them outlives minor collections together with all that its listeners lead to, which
 * made collecting a good part of what a message costs.
 */
export class Hangup {
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

  /** For `fetch` and whatever else takes nothing lighter. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** The first reason counts. */
  abort(reason: unknown = new DOMException('Nobody waits for the response any more', 'AbortError')): void {
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

  /** Told once; not at all when it has happened before. */
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

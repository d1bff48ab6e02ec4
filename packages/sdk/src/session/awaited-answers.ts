/** Which request an answer belongs to, for links that must know the method to read it; bounded, because some requests are never answered. */
import type { Body, RequestId } from '../jsonrpc/index.ts'

export interface AwaitedAnswer {
  readonly method: string
  readonly params: Body | undefined
}

/** Four times as many as a session has in flight: those beyond were given up long ago. */
const MOST = 4096

export class AwaitedAnswers {
  readonly #requests = new Map<RequestId, AwaitedAnswer>()

  add(id: RequestId, method: string, params: Body | undefined): void {
    if (this.#requests.size >= MOST) this.#requests.delete(this.#requests.keys().next().value as RequestId)
    this.#requests.set(id, { method, params })
  }

  /** The request, which is answered now. */
  take(id: RequestId | null | undefined): AwaitedAnswer | undefined {
    if (id === null || id === undefined) return undefined
    const found = this.#requests.get(id)
    if (found !== undefined) this.#requests.delete(id)
    return found
  }
}

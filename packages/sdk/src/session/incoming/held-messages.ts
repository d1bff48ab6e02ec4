/**
 * Messages that a client sends before the answer to its `initialize`. They are kept in order until the answer is given.
 */
import type { ByteBudget } from '../../collections/index.ts'
import type { Incoming, RequestId } from '../../jsonrpc/index.ts'

export interface HeldLimits {
  readonly maxRequests: number
  readonly maxOthers: number
  /** Of all together, as they were written. */
  readonly maxLength: number
  readonly budget: ByteBudget
}

interface Held {
  readonly incoming: Incoming
  readonly length: number
}

export class HeldMessages {
  readonly #limits: HeldLimits
  #messages: Held[] = []
  #requests = 0
  #others = 0
  #length = 0

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Which limit leaves no room for it; what is kept has none. */
  add(incoming: Incoming, length: number): string | undefined {
    const { maxRequests, maxOthers, maxLength, budget } = this.#limits
    const requests = requestsIn(incoming).length
    const others = messagesIn(incoming) - requests
    if (this.#requests + requests > maxRequests) return `${maxRequests} requests`
    if (this.#others + others > maxOthers) return `${maxOthers} notifications`
    if (this.#length + length > maxLength) return `${maxLength} characters`
    const full = budget.fullFor(length)
    if (full !== undefined) return `${full.limit} bytes in all (${full.setting})`
    this.#count({ incoming, length }, 1)
    this.#messages.push({ incoming, length })
    return undefined
  }

  /** The oldest, which is kept no longer. */
  next(): Incoming | undefined {
    const held = this.#messages.shift()
    if (held !== undefined) this.#count(held, -1)
    return held?.incoming
  }

  clear(): void {
    this.#limits.budget.give(this.#length)
    this.#messages = []
    this.#length = 0
  }

  /** True when a request of this id was kept, which it is no longer. */
  withdraw(id: unknown): boolean {
    const held = this.#messages.find(({ incoming }) => incoming.kind === 'request' && incoming.message.id === id)
    if (held === undefined) return false
    this.#messages = this.#messages.filter((other) => other !== held)
    this.#count(held, -1)
    return true
  }

  /** Whether a request of this id is part of a batch, which goes on without it. */
  hasInBatch(id: unknown): boolean {
    return this.#messages.some(
      ({ incoming }) => incoming.kind === 'batch' && requestsIn(incoming).some((request) => request === id),
    )
  }

  #count({ incoming, length }: Held, sign: 1 | -1): void {
    const requests = requestsIn(incoming).length
    this.#requests += sign * requests
    this.#others += sign * (messagesIn(incoming) - requests)
    this.#length += sign * length
    this.#limits.budget.add(sign * length)
  }
}

/** The ids that want an answer. */
export function requestsIn(incoming: Incoming): RequestId[] {
  if (incoming.kind === 'request') return [incoming.message.id]
  return incoming.kind === 'batch'
    ? incoming.items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))
    : []
}

function messagesIn(incoming: Incoming): number {
  return incoming.kind === 'batch' ? incoming.items.length : 1
}

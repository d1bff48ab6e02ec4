/** The resource subscriptions of one client at one server. They move to each new conversation of the client. */
import { ParleyError } from 'parley-mcp'
import type { Subscription } from 'parley-mcp/engine'
import type { Conversation } from '../upstream/index.ts'

/** Called with the changed URI, which may lie below the followed one. */
export type OnChanged = (uri: string) => void

/** A subscription as its user sees it. */
export interface ActiveSubscription {
  /** Whether the server reports changes while it is up. */
  isActive(): boolean
  stop(): Promise<void>
}

interface Held {
  readonly subscription: Subscription
  readonly onEnd: () => void
}

const NOTHING = (): void => {}

export class Subscriptions {
  /** By URI and by callback. */
  readonly #held = new Map<string, Map<OnChanged, Held>>()
  #ended = false

  has(uri: string): boolean {
    return this.#held.has(uri)
  }

  /**
   * A callback that follows the URI already is not called twice. `onEnd` is called once, when the subscription ends or
   * fails.
   */
  async add(conversation: Conversation, uri: string, changed: OnChanged, onEnd = NOTHING): Promise<ActiveSubscription> {
    const subscription = await conversation.subscribe(uri, changed).catch((error: unknown) => {
      onEnd()
      throw error
    })
    if (this.#ended || this.#isActive(uri, changed)) {
      onEnd()
      await subscription.unsubscribe()
    } else
      this.#held.set(uri, (this.#held.get(uri) ?? new Map<OnChanged, Held>()).set(changed, { subscription, onEnd }))
    if (this.#ended) throw new ParleyError('session_closed')
    return { isActive: () => this.#isActive(uri, changed), stop: () => this.#remove(uri, changed) }
  }

  /** Removes all callbacks of this URI. */
  async remove(uri: string): Promise<void> {
    await Promise.all([...(this.#held.get(uri)?.keys() ?? [])].map((changed) => this.#remove(uri, changed)))
  }

  /**
   * Subscribes again in a new conversation. Drops what the server refuses there. Reports the rest as changed, because
   * it may have changed meanwhile.
   */
  async renew(conversation: Conversation): Promise<void> {
    for (const [uri, changed] of this.#all()) {
      if (!this.#isActive(uri, changed)) continue
      const again = await conversation.subscribe(uri, changed).catch(() => undefined)
      const held = this.#held.get(uri)
      const before = held?.get(changed)
      if (before === undefined) await again?.unsubscribe().catch(() => {})
      else if (again === undefined) this.#forget(uri, changed)
      else held?.set(changed, { subscription: again, onEnd: before.onEnd })
    }
    for (const [uri, changed] of this.#all()) changed(uri)
  }

  end(): void {
    this.#ended = true
    for (const [uri, changed] of this.#all()) this.#remove(uri, changed).catch(() => {})
  }

  #all(): [uri: string, changed: OnChanged][] {
    return [...this.#held].flatMap(([uri, held]) =>
      [...held.keys()].map((changed): [string, OnChanged] => [uri, changed]),
    )
  }

  #isActive(uri: string, changed: OnChanged): boolean {
    return this.#held.get(uri)?.has(changed) === true
  }

  async #remove(uri: string, changed: OnChanged): Promise<void> {
    await this.#forget(uri, changed)?.unsubscribe()
  }

  #forget(uri: string, changed: OnChanged): Subscription | undefined {
    const held = this.#held.get(uri)
    const known = held?.get(changed)
    held?.delete(changed)
    if (held?.size === 0) this.#held.delete(uri)
    known?.onEnd()
    return known?.subscription
  }
}

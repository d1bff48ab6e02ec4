/** Requests that lost their session. Some are sent again on the next session; the others fail. Both are reported. */
import type { EngineRequestOptions, UnansweredRequest } from '../../session/index.ts'
import type { LostRequest, ReconnectSettings } from './reconnect.ts'
import type { ReconnectQueue } from './reconnect-queue.ts'

export interface LostRequestsReport {
  readonly failed: readonly LostRequest[]
  readonly retried: readonly LostRequest[]
}

/** The options of a request that was sent again. It is not sent a third time. */
interface RetryOptions extends EngineRequestOptions {
  readonly isRetry?: true
}

export class LostRequests {
  readonly #retry: ReconnectSettings['retry']
  readonly #queue: ReconnectQueue
  readonly #isRepeatableTool: (name: string) => boolean
  #failed: LostRequest[] = []
  #retried: LostRequest[] = []

  constructor(retry: ReconnectSettings['retry'], queue: ReconnectQueue, isRepeatableTool: (name: string) => boolean) {
    this.#retry = retry
    this.#queue = queue
    this.#isRepeatableTool = isRepeatableTool
  }

  /** True when the request now waits for another session. `seen`: the server may have received it. */
  add(lost: UnansweredRequest, seen: boolean): boolean {
    const { id, method, params, options, convert, startedAt, resolve, reject } = lost
    const harmless = !seen || (this.#retry === 'safe' && isRepeatable(method, params, this.#isRepeatableTool))
    const again = harmless && (options as RetryOptions | undefined)?.isRetry !== true && !this.#queue.full
    ;(again ? this.#retried : this.#failed).push({ id, method, startedAt })
    if (!again) return false
    const retryOptions: RetryOptions = { ...options, isRetry: true }
    this.#queue.add({ method, params, options: retryOptions, convert, resolve, reject })
    return true
  }

  /** The requests lost since the last report. */
  takeReport(): LostRequestsReport {
    const report = { failed: this.#failed, retried: this.#retried }
    this.#failed = []
    this.#retried = []
    return report
  }
}

/**
 * These requests only read, or leave the same state however often they are sent. `subscriptions/listen` is not here:
 * the subscriptions open a new stream themselves.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/directory/read',
  'skills/list',
  'skills/get',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/list',
])

/** Tools are repeatable when their annotations say so. */
function isRepeatable(
  method: string,
  params: Record<string, unknown> | undefined,
  isRepeatableTool: (name: string) => boolean,
): boolean {
  if (method !== 'tools/call') return REPEATABLE.has(method)
  const name = params?.['name']
  return typeof name === 'string' && isRepeatableTool(name)
}

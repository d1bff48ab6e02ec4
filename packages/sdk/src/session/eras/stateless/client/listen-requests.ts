/** Open `subscriptions/listen` requests of a client, and the notifications that name them (D-04, D-29, D-30). */
import { ParleyError } from '../../../../errors/index.ts'
import { type Body, isObject, type RequestId } from '../../../../jsonrpc/index.ts'
import { META } from '../../../../versions/index.ts'
import type { SessionCore } from '../../../core.ts'
import type { ListenFilter, ListenOptions, ListenRequest } from '../../../session-view.ts'
import type { RequestHost } from '../../era.ts'

const LISTEN = 'subscriptions/listen'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const CANCELLED = 'notifications/cancelled'

interface OpenListen {
  acknowledge(filter: ListenFilter): void
  /** The server has ended it without an answer. */
  end(): void
}

export class ListenRequests {
  readonly #core: SessionCore
  readonly #requests: RequestHost
  readonly #open = new Map<RequestId, OpenListen>()

  constructor(core: SessionCore, requests: RequestHost) {
    this.#core = core
    this.#requests = requests
  }

  begin(filter: ListenFilter, { signal, onAcknowledged }: ListenOptions): ListenRequest {
    const { id, answered, lasts } = this.#requests.sendLasting(
      LISTEN,
      { notifications: filter },
      signal === undefined ? {} : { signal },
    )
    // After an abort no notification is delivered, not even one that comes in the same turn.
    signal?.addEventListener('abort', () => this.#open.delete(id), { once: true })
    let refuse: (error: unknown) => void = () => {}
    const acknowledged = new Promise<ListenFilter>((resolve, reject) => {
      refuse = reject
      const acknowledge = (agreed: ListenFilter): void => {
        lasts()
        onAcknowledged?.()
        resolve(agreed)
      }
      this.#open.set(id, { acknowledge, end: () => this.#requests.endLasting(id) })
    })
    const ended = answered.then(
      () => this.#over(id, refuse, unacknowledged()),
      (error: unknown) => {
        this.#over(id, refuse, error)
        if (signal?.aborted !== true) throw error
      },
    )
    // A caller may use only one of the two promises.
    acknowledged.catch(() => {})
    ended.catch(() => {})
    return { id, acknowledged, ended }
  }

  /** The params without the id of the subscription; undefined when the notification was only for this class. */
  hear(method: string, params: Body): Body | undefined {
    if (method === CANCELLED) return this.#cancelled(params)
    const meta = isObject(params['_meta']) ? params['_meta'] : {}
    const id = meta[META.subscription]
    if (id === undefined && method !== ACKNOWLEDGED) return params
    const open = this.#open.get(id as RequestId)
    if (open === undefined) {
      this.#core.ignore('notification of no subscription', method.slice(0, 80))
      return undefined
    }
    if (method !== ACKNOWLEDGED) return withoutSubscription(params, meta)
    this.#core.stats.of(method).received++
    open.acknowledge(isObject(params['notifications']) ? (params['notifications'] as ListenFilter) : {})
    return undefined
  }

  /** Some servers end a subscription with `notifications/cancelled` instead of an answer. */
  #cancelled(params: Body): Body | undefined {
    const open = this.#open.get(params['requestId'] as RequestId)
    if (open === undefined) return params
    open.end()
    return undefined
  }

  #over(id: RequestId, refuse: (error: unknown) => void, why: unknown): void {
    this.#open.delete(id)
    refuse(why)
  }
}

function withoutSubscription(params: Body, meta: Body): Body {
  const { [META.subscription]: _, ...others } = meta
  const { _meta, ...rest } = params
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}

function unacknowledged(): ParleyError {
  return new ParleyError('invalid_answer', { message: `${LISTEN} ended before the server had acknowledged it` })
}

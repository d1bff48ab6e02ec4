/** Requests of this side in the handshake era: both sides know each other, so a request says nothing about its sender. */
import { ParleyError } from '../../../errors/index.ts'
import { type Body, type Link, requestText, type SendOptions } from '../../../jsonrpc/index.ts'
import type { HeaderParam, ProtocolVersion } from '../../../versions/index.ts'
import type { Pending } from '../../outgoing/pending.ts'
import { lostRequest } from '../../outgoing/request-errors.ts'
import { NO_HEADERS, type SessionEra } from '../era.ts'

/** What the era needs of its session. */
interface Conversation {
  readonly role: 'client' | 'server'
  readonly era: SessionEra
  readonly link: Link
  readonly version: ProtocolVersion | undefined
  sendNotification(method: string, params: Body | undefined, options?: SendOptions): boolean
}

export class HandshakeEra implements SessionEra {
  readonly #core: Conversation

  constructor(core: Conversation) {
    this.#core = core
  }

  get name(): 'handshake' {
    return 'handshake'
  }
  get pingMethod(): string {
    return 'ping'
  }
  get isStateful(): boolean {
    return true
  }
  get logLevel(): undefined {
    return undefined
  }
  set logLevel(_) {}

  isExtensionMethod(): boolean {
    return false
  }

  listen(): never {
    throw new ParleyError('version_gap', { message: 'Versions with a handshake have no subscriptions/listen' })
  }

  notified(_method: string, params: Body): Body {
    return params
  }

  notificationOptions(_method: string, options: SendOptions | undefined): SendOptions | undefined {
    return options
  }

  headerParams(): readonly HeaderParam[] {
    return NO_HEADERS
  }

  requestText({ id, method, options }: Pending, params: Body | undefined, progressToken: number | undefined): string {
    if (progressToken === undefined) return requestText(id, method, params, options?.write)
    const _meta = { ...(params?.['_meta'] as Body | undefined), progressToken }
    return requestText(id, method, { ...params, _meta }, options?.write)
  }

  sendOptions({ method, options }: Pending): SendOptions | undefined {
    const relatedTo = options?.relatedTo
    if (this.#core.role === 'server') return relatedTo === undefined ? { asks: method } : { asks: method, relatedTo }
    return relatedTo === undefined ? undefined : { relatedTo }
  }

  result(_pending: Pending, result: Body): Body {
    return result
  }

  repair(): boolean {
    return false
  }

  endOfSession({ method }: Pending, error: ParleyError): ParleyError | undefined {
    const { era, version } = this.#core
    const ends = error.kind === 'session_closed' && version !== undefined && era === this
    return ends ? lostRequest(method, error) : undefined
  }

  /** The specification forbids to cancel `initialize` with a notification. */
  cancel(pending: Pending, error: ParleyError): void {
    const { link } = this.#core
    if (pending.method === 'initialize') link.withdraw?.(pending.id)
    else cancelWithNotification(this.#core, pending, error)
  }
}

export function cancelWithNotification(
  core: Pick<Conversation, 'sendNotification'>,
  { id, options }: Pending,
  error: ParleyError,
): void {
  const relatedTo = options?.relatedTo
  core.sendNotification(
    'notifications/cancelled',
    { requestId: id, reason: error.message },
    relatedTo === undefined ? { withdraws: id } : { withdraws: id, relatedTo },
  )
}

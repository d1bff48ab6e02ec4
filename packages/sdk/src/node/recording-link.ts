/** A link that remembers what kind of messages went over it last, and nothing of what they said. */
import { isObject, type Link, type LinkEvents, type RequestId, type SendOptions } from '../jsonrpc/index.ts'

/** The outside of one message. */
export interface MessageHeader {
  readonly at: number
  readonly direction: 'sent' | 'received'
  readonly kind: 'request' | 'notification' | 'result' | 'error' | 'batch' | 'unknown'
  readonly method?: string
  readonly id?: RequestId | null
  /** In characters. */
  readonly size: number
}

const REMEMBERED = 32
/** Reading longer messages twice would cost too much; of them only the size is known. */
const READ_UP_TO = 64 * 1024

export class RecordingLink implements Link {
  readonly #link: Link
  readonly #now: () => number
  readonly #headers: MessageHeader[] = []

  constructor(link: Link, now: () => number) {
    this.#link = link
    this.#now = now
  }

  get transport(): string {
    return this.#link.transport
  }

  get listening(): boolean {
    return this.#link.listening ?? true
  }

  get mirrors(): boolean {
    return this.#link.mirrors ?? false
  }

  get hears(): boolean {
    return this.#link.hears ?? true
  }

  get remembered(): boolean {
    return this.#link.remembered ?? true
  }

  /** Whether the link has it says something, so it has it, or has it not, as the link does. */
  get withdraw(): NonNullable<Link['withdraw']> {
    const link = this.#link
    return (link.withdraw === undefined ? undefined : (request: RequestId) => link.withdraw?.(request)) as NonNullable<Link['withdraw']>
  }

  /** Oldest first. */
  get headers(): readonly MessageHeader[] {
    return this.#headers
  }

  open(events: LinkEvents): void {
    this.#link.open({
      ...(events.maxBytes === undefined ? {} : { maxBytes: events.maxBytes }),
      frame: (text, parsed, origin) => {
        this.#remember('received', text)
        events.frame(text, parsed, origin)
      },
      ...(events.abandoned === undefined ? {} : { abandoned: (request) => events.abandoned?.(request) }),
      ...(events.failed === undefined ? {} : { failed: (request, error) => events.failed?.(request, error) }),
      ...(events.released === undefined ? {} : { released: (request, retry) => events.released?.(request, retry) }),
      closed: (reason) => events.closed(reason),
    })
  }

  send(frame: string, options?: SendOptions): void {
    this.#remember('sent', frame)
    this.#link.send(frame, options)
  }

  close(): void | Promise<void> {
    return this.#link.close()
  }

  negotiated(version: string): void {
    this.#link.negotiated?.(version)
  }

  abandon(request: RequestId): void {
    this.#link.abandon?.(request)
  }

  release(request: RequestId, retry: number | undefined): void {
    this.#link.release?.(request, retry)
  }

  #remember(direction: MessageHeader['direction'], frame: string): void {
    if (this.#headers.length >= REMEMBERED) this.#headers.shift()
    this.#headers.push({ at: this.#now(), direction, ...outsideOf(frame), size: frame.length })
  }
}

function outsideOf(frame: string): Pick<MessageHeader, 'kind' | 'method' | 'id'> {
  if (frame.length > READ_UP_TO) return { kind: 'unknown' }
  let message: unknown
  try {
    message = JSON.parse(frame)
  } catch {
    return { kind: 'unknown' }
  }
  if (Array.isArray(message)) return { kind: 'batch' }
  if (!isObject(message)) return { kind: 'unknown' }
  const { method, id } = message
  const named = { ...(typeof method === 'string' && { method: method.slice(0, 100) }), ...(isId(id) && { id: typeof id === 'string' ? id.slice(0, 100) : id }) }
  return { kind: kindOf(message), ...named }
}

function kindOf(message: Record<string, unknown>): MessageHeader['kind'] {
  if (typeof message['method'] === 'string') return message['id'] === undefined ? 'notification' : 'request'
  if ('error' in message) return 'error'
  return 'result' in message ? 'result' : 'unknown'
}

function isId(id: unknown): id is RequestId | null {
  return typeof id === 'string' || typeof id === 'number' || id === null
}

/** A link that remembers the headers of its last messages, without their content. */
import {
  isObject,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
  WrappedLink,
  wrappedEvents,
} from '../../jsonrpc/index.ts'

/** The header of one message. */
export interface MessageHeader {
  readonly at: number
  readonly direction: 'sent' | 'received'
  readonly kind: 'request' | 'notification' | 'result' | 'error' | 'batch' | 'unknown'
  readonly method?: string
  readonly id?: RequestId | null
  /** In characters. */
  readonly size: number
}

const MAX_HEADERS = 32
/** Parsing longer messages twice would cost too much. Only their size is recorded. */
const MAX_PARSED_LENGTH = 64 * 1024

export class RecordingLink extends WrappedLink {
  readonly #now: () => number
  readonly #headers: MessageHeader[] = []

  constructor(link: Link, now: () => number) {
    super(link)
    this.#now = now
  }

  /** Oldest first. */
  get headers(): readonly MessageHeader[] {
    return this.#headers
  }

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          this.#remember('received', text)
          events.frame(text, parsed, origin)
        },
      }),
    )
  }

  override send(frame: string, options?: SendOptions): void {
    this.#remember('sent', frame)
    super.send(frame, options)
  }

  #remember(direction: MessageHeader['direction'], frame: string): void {
    if (this.#headers.length >= MAX_HEADERS) this.#headers.shift()
    this.#headers.push({ at: this.#now(), direction, ...headerOf(frame), size: frame.length })
  }
}

function headerOf(frame: string): Pick<MessageHeader, 'kind' | 'method' | 'id'> {
  if (frame.length > MAX_PARSED_LENGTH) return { kind: 'unknown' }
  let message: unknown
  try {
    message = JSON.parse(frame)
  } catch {
    return { kind: 'unknown' }
  }
  if (Array.isArray(message)) return { kind: 'batch' }
  if (!isObject(message)) return { kind: 'unknown' }
  const { method, id } = message
  const named = {
    ...(typeof method === 'string' && { method: method.slice(0, 100) }),
    ...(isId(id) && { id: typeof id === 'string' ? id.slice(0, 100) : id }),
  }
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

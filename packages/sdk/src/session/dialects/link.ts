/**
 * A link to a peer that speaks a dialect: what comes over it is read into standard messages, what goes over it is
 * written in the dialect (D).
 */
import {
  type Body,
  DEFAULT_LIMITS,
  type ErrorMessage,
  type Incoming,
  type Link,
  type LinkEvents,
  type Message,
  type MessageLimits,
  type NotificationMessage,
  parse,
  type RequestId,
  type RequestMessage,
  type ResultMessage,
  type SendOptions,
  WrappedLink,
  wrappedEvents,
} from '../../jsonrpc/index.ts'
import {
  type Dialect,
  type DialectDirection,
  type DialectName,
  dialect,
  dialectPlan,
  type Loss,
  type MethodKind,
  type Part,
  type TranslationContext,
} from '../../versions/index.ts'

/** Stands for the method of an answer without a request. */
const UNKNOWN = '*'

export interface DialectLinkOptions {
  /** Told what the other side has no words for. */
  onLoss?: (loss: Loss) => void
  /** The limits of the session, so that frames are not read by others. */
  limits?: Partial<MessageLimits>
  /** The time in milliseconds, for messages that must tell one. Default: the system's. */
  now?: () => number
}

/** The session above it must speak the dialect's version and no other: `dialect(name).version`. */
export function dialectLink(link: Link, name: DialectName, options: DialectLinkOptions = {}): Link {
  return new DialectLink(link, name, options)
}

class DialectLink extends WrappedLink {
  readonly #name: DialectName
  readonly #dialect: Dialect
  readonly #limits: MessageLimits
  readonly #context: TranslationContext
  /** Requests that wait for an answer: this side's, and the peer's. */
  readonly #asked = new AwaitedAnswers()
  readonly #received = new AwaitedAnswers()

  constructor(link: Link, name: DialectName, { onLoss, limits, now = Date.now }: DialectLinkOptions) {
    super(link)
    this.#name = name
    this.#dialect = dialect(name)
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#context = onLoss === undefined ? { now } : { now, onLoss }
  }

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (text, parsed, origin) => {
          const incoming = parsed ?? parse(text, this.#limits)
          const read = this.#read(incoming, origin?.key)
          if (read === incoming) events.frame(text, incoming, origin)
          else events.frame(JSON.stringify((read as { message: Message }).message), read, origin)
        },
        abandoned: (request) => {
          this.#received.take(request)
          events.abandoned?.(request)
        },
        failed: (request, error) => {
          if (request !== undefined) this.#asked.take(request)
          events.failed?.(request, error)
        },
      }),
    )
  }

  override send(frame: string, options?: SendOptions): void {
    const message = JSON.parse(frame) as Message | Message[]
    const written = Array.isArray(message) ? message : this.#write(message, options?.relatedTo)
    if (written === message) return super.send(frame, options)
    const { kept: _, ...rest } = options ?? {}
    super.send(JSON.stringify(written), options === undefined ? undefined : rest)
  }

  /** There even where the link has no use for it. */
  override get abandon(): NonNullable<Link['abandon']> {
    const abandon = super.abandon
    return (request) => {
      this.#received.take(request)
      abandon?.(request)
    }
  }

  override get withdraw(): Link['withdraw'] {
    const withdraw = super.withdraw
    if (withdraw === undefined) return undefined
    return (request) => {
      this.#asked.take(request)
      withdraw(request)
    }
  }

  #read(incoming: Incoming, key: RequestId | undefined): Incoming {
    switch (incoming.kind) {
      case 'request': {
        const { message } = incoming
        this.#expect(this.#received, key ?? message.id, message.method, message.params, 'out')
        return changed(incoming, this.#readCall(message, 'request'))
      }
      case 'notification':
        return changed(incoming, this.#readCall(incoming.message, 'notification'))
      case 'result':
        return changed(incoming, this.#answer(incoming.message, 'in', this.#asked.take(incoming.message.id)))
      case 'error':
        return changed(incoming, this.#answer(incoming.message, 'in', this.#asked.take(incoming.message.id)))
      default:
        return incoming
    }
  }

  #readCall<Call extends RequestMessage | NotificationMessage>(message: Call, kind: MethodKind): Call {
    const method = this.#dialect.standardMethod(message.method, kind)
    return renamed(message, method, this.#translate(message.method, 'params', 'in', message.params))
  }

  #write(message: Message, relatedTo: RequestId | undefined): Message {
    if (!('method' in message)) return this.#answer(message, 'out', this.#received.take(relatedTo ?? message.id))
    const method = this.#dialect.wireMethod(message.method, message.params)
    const params = this.#translate(method, 'params', 'out', message.params)
    if ('id' in message) this.#expect(this.#asked, message.id, method, params, 'in')
    return renamed(message, method, params)
  }

  /** Parameters are kept where the answer is translated in their light. */
  #expect(
    awaited: AwaitedAnswers,
    id: RequestId,
    method: string,
    params: Body | undefined,
    direction: DialectDirection,
  ): void {
    awaited.add(id, method, dialectPlan(this.#name, method, 'result', direction) === undefined ? undefined : params)
  }

  #answer<Answer extends ResultMessage | ErrorMessage>(
    message: Answer,
    direction: DialectDirection,
    asked: AwaitedAnswer | undefined,
  ): Answer {
    const part = 'error' in message ? 'error' : 'result'
    const before = ('error' in message ? message.error : message.result) as Body
    const after = this.#translate(asked?.method ?? UNKNOWN, part, direction, before, asked?.params)
    return after === before ? message : { ...message, [part]: after }
  }

  #translate(
    wire: string,
    part: Part,
    direction: DialectDirection,
    value: Body | undefined,
    request?: Body,
  ): Body | undefined {
    const plan = dialectPlan(this.#name, wire, part, direction)
    return plan === undefined
      ? value
      : plan(value, request === undefined ? this.#context : { ...this.#context, request })
  }
}

function changed<I extends { message: unknown }>(incoming: I, message: I['message']): I {
  return message === incoming.message ? incoming : { ...incoming, message }
}

function renamed<Call extends RequestMessage | NotificationMessage>(
  message: Call,
  method: string,
  params: Body | undefined,
): Call {
  if (method === message.method && params === message.params) return message
  return params === undefined ? { ...message, method } : { ...message, method, params }
}

interface AwaitedAnswer {
  readonly method: string
  readonly params: Body | undefined
}

/** Four times as many as a session has in flight: those beyond were given up long ago. */
const MOST = 4096

/** The requests without an answer, by id. Their number is limited, because some requests never get an answer. */
class AwaitedAnswers {
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

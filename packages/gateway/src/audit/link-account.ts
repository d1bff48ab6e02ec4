/**
 * What passes over one link, as it is accounted for: each request of the client and each question to it, from its
 * beginning to its end.
 */
import type { Loss } from 'parley-mcp'
import {
  type Body,
  type Clock,
  exactWriter,
  type FrameOrigin,
  type Incoming,
  isObject,
  META,
  type RequestId,
  type RequestMessage,
} from 'parley-mcp/engine'
import { type Location, type Subject, subjectOf } from '../upstream/index.ts'
import type { News } from './audit-log.ts'
import { EmbeddedQuestions } from './embedded-questions.ts'
import { type Answered, answeredWith, type End, errorEnd, memberEnd, responseEnd } from './outcome.ts'
import { digestOf, type Who } from './receipt.ts'
import { plainUri, shortName, shortTarget } from './text.ts'

export interface AccountOptions {
  readonly clock: Clock
  readonly write: (news: News) => void
  readonly locate: (subject: Subject | undefined) => Location
  /** Absent where a link is not one session. */
  readonly session: string | undefined
  readonly principal: string | undefined
}

interface Begun {
  readonly method: string
  readonly params: Body | undefined
  readonly who: Who
  readonly at: number
  losses?: Set<string>
  /** Others that came together with it and are answered together. */
  batch?: readonly RequestId[]
  /** One that came before under the same id, and is not over: the later one is refused at once. */
  before?: Begun | undefined
}

/** A question is told by the client's request that it belongs to, if any. */
interface Asked extends Omit<Begun, 'batch' | 'before'> {
  readonly server: string
}

const CANCELLED: End = { outcome: 'cancelled' }

export class LinkAccount {
  readonly #options: AccountOptions
  readonly #begun = new Map<RequestId, Begun>()
  readonly #asked = new Map<RequestId, Asked>()
  readonly #embedded: EmbeddedQuestions<Asked>
  #client: Who['client']
  /** What was agreed on in a handshake. */
  protocol: string | undefined
  #over = false

  constructor(options: AccountOptions) {
    this.#options = options
    this.#embedded = new EmbeddedQuestions((asked) => this.#answeredQuestion(asked, { outcome: 'unanswered' }))
  }

  // What the client says

  received(incoming: Incoming, origin: FrameOrigin | undefined): void {
    if (this.#over) return
    if (incoming.kind === 'request') this.#begin(incoming.message, origin)
    else if (incoming.kind === 'batch') this.#beginAll(incoming.items, origin)
    else if (incoming.kind === 'result') this.#answer(incoming.message.id, responseEnd(incoming.message.result))
    else if (incoming.kind === 'error') this.#answer(incoming.message.id, errorEnd(incoming.message.error))
    else if (incoming.kind === 'notification' && incoming.message.method === 'notifications/cancelled')
      this.cancelled(incoming.message.params?.['requestId'])
  }

  /**
   * The client has hung up on a request, or has taken it back: it gets no answer. What cannot be taken back is answered
   * all the same.
   */
  cancelled(request: unknown): void {
    const begun = this.#begun.get(request as RequestId)
    if (begun !== undefined && begun.method !== 'initialize') this.#end(request as RequestId, CANCELLED)
  }

  lose(request: RequestId, { rule }: Loss): void {
    const begun = this.#begun.get(request)
    if (begun === undefined) return
    begun.losses ??= new Set()
    begun.losses.add(rule)
  }

  /** Nothing comes and goes any more. */
  closed(): void {
    if (this.#over) return
    this.#over = true
    for (const request of [...this.#begun.keys()]) while (this.#begun.has(request)) this.#end(request, CANCELLED)
    for (const id of [...this.#asked.keys()]) this.withdrawn(id)
    this.#embedded.giveUp()
  }

  // What the client is told

  answered(request: RequestId, frame: string): void {
    if (frame.startsWith('[')) return this.#answeredAll(request, JSON.parse(frame) as Body[])
    if (this.#begun.has(request)) this.#finish(request, answeredWith(frame))
  }

  asked({ id, method, params }: RequestMessage, request: RequestId | undefined): void {
    const related = request === undefined ? undefined : this.#begun.get(request)
    const who = related?.who ?? this.#who(undefined, undefined)
    this.#asked.set(id, { method, params, who, at: this.#now, server: this.#serverOf(related) })
  }

  withdrawn(id: unknown): void {
    this.#answer(id, CANCELLED)
  }

  get #now(): number {
    return this.#options.clock.now()
  }

  #begin(message: RequestMessage, origin: FrameOrigin | undefined, batch?: readonly RequestId[]): void {
    const { method, params } = message
    const key = origin?.key ?? message.id
    if (method === 'initialize') this.#client = clientIn(params?.['clientInfo'])
    const begun: Begun = { method, params, who: this.#who(params, origin), at: this.#now, before: this.#begun.get(key) }
    if (batch !== undefined) begun.batch = batch
    this.#begun.set(key, begun)
    for (const { question, response } of this.#embedded.answeredBy(params))
      this.#answeredQuestion(question, responseEnd(response))
  }

  #beginAll(items: readonly Incoming[], origin: FrameOrigin | undefined): void {
    const batch = items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))
    for (const item of items) {
      if (item.kind === 'request') this.#begin(item.message, origin, batch)
      else if (item.kind !== 'batch') this.received(item, origin)
    }
  }

  #who(params: Body | undefined, origin: FrameOrigin | undefined): Who {
    const meta = params?.['_meta']
    const told = isObject(meta) ? meta : {}
    const { principal, session } = this.#options
    return {
      principal: shortName(origin?.principal ?? principal),
      client: clientIn(told[META.clientInfo]) ?? this.#client,
      protocol: shortName(told[META.version]) ?? this.protocol,
      session,
    }
  }

  /** What the members of a batch were answered with; those that are missing were taken back. */
  #answeredAll(first: RequestId, answers: readonly Body[]): void {
    const batch = this.#begun.get(first)?.batch ?? []
    for (const answer of answers)
      if (this.#begun.has(answer['id'] as RequestId)) this.#finish(answer['id'] as RequestId, memberEnd(answer))
    for (const id of batch) if (this.#begun.get(id)?.batch === batch) this.#end(id, CANCELLED)
  }

  #finish(request: RequestId, { end, asking }: Answered): void {
    const begun = this.#begun.get(request) as Begun
    this.#end(request, end)
    if (asking === undefined) return
    const common = { who: begun.who, at: this.#now, server: this.#serverOf(begun) }
    this.#embedded.ask(asking, (method, params) => ({ ...common, method, params }))
  }

  #end(request: RequestId, end: End): void {
    const begun = this.#begun.get(request) as Begun
    if (begun.before === undefined) this.#begun.delete(request)
    else this.#begun.set(request, begun.before)
    const { method, params } = begun
    const subject = subjectOf(method, params)
    const { server, own } = this.#options.locate(subject)
    // Ids of tasks open what is behind them.
    const target =
      subject === undefined || own === undefined || subject.kind === 'task'
        ? undefined
        : subject.kind === 'resource'
          ? plainUri(own)
          : own
    this.#write('request', begun, { server, target: target && shortTarget(target) }, end)
  }

  #answer(id: unknown, end: End): void {
    const asked = this.#asked.get(id as RequestId)
    if (asked === undefined) return
    this.#asked.delete(id as RequestId)
    this.#answeredQuestion(asked, end)
  }

  #answeredQuestion(asked: Asked, end: End): void {
    this.#write('question', asked, { server: asked.server }, end)
  }

  #write(
    kind: 'request' | 'question',
    { method, params, who, at, losses }: Omit<Begun, 'batch' | 'before'>,
    place: { server: string; target?: string | undefined },
    end: End,
  ): void {
    this.#options.write({
      kind,
      ms: Math.max(0, Math.round(this.#now - at)),
      ...who,
      ...place,
      method: shortName(method) as string,
      params: params && digestOf((exactWriter(params) ?? JSON.stringify)(params)),
      ...end,
      losses: losses && [...losses].sort(),
    })
  }

  #serverOf(begun: Begun | undefined): string {
    return this.#options.locate(begun && subjectOf(begun.method, begun.params)).server
  }
}

function clientIn(info: unknown): Who['client'] {
  if (!isObject(info)) return undefined
  return { name: shortName(info['name']) ?? '', version: shortName(info['version']) ?? '' }
}

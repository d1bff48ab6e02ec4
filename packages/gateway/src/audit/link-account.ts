/** Accounts for each request and each question on one link, from its beginning to its end. */
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
import { EmbeddedQuestions } from './embedded-questions.ts'
import { type Answered, answeredWith, type End, errorEnd, memberEnd, responseEnd } from './outcome.ts'
import { type AuditEntry, digestOf, type Party } from './receipt.ts'
import { plainUri, shortName, shortTarget } from './text.ts'

export interface AccountOptions {
  readonly clock: Clock
  readonly write: (entry: AuditEntry) => void
  readonly locate: (subject: Subject | undefined) => Location
  /** Absent where several clients share the link. */
  readonly session: string | undefined
  readonly principal: string | undefined
}

interface OpenRequest {
  readonly method: string
  readonly params: Body | undefined
  readonly party: Party
  readonly at: number
  losses?: Set<string>
  /** The ids of the batch that it came in. */
  batch?: readonly RequestId[]
  /** An earlier open request with the same id. The session refuses the later one at once. */
  before?: OpenRequest | undefined
}

/** A question takes its client from the request it belongs to, if any. */
interface OpenQuestion extends Omit<OpenRequest, 'batch' | 'before'> {
  readonly server: string
}

const CANCELLED: End = { outcome: 'cancelled' }

export class LinkAccount {
  readonly #options: AccountOptions
  readonly #requests = new Map<RequestId, OpenRequest>()
  readonly #questions = new Map<RequestId, OpenQuestion>()
  readonly #embedded: EmbeddedQuestions<OpenQuestion>
  #client: Party['client']
  /** The version negotiated in a handshake. */
  protocol: string | undefined
  #over = false

  constructor(options: AccountOptions) {
    this.#options = options
    this.#embedded = new EmbeddedQuestions((asked) => this.#answeredQuestion(asked, { outcome: 'unanswered' }))
  }

  // Messages of the client

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
   * The client has cancelled a request or closed its connection, and gets no answer. `initialize` cannot be cancelled.
   */
  cancelled(request: unknown): void {
    const begun = this.#requests.get(request as RequestId)
    if (begun !== undefined && begun.method !== 'initialize') this.#end(request as RequestId, CANCELLED)
  }

  lose(request: RequestId, { rule }: Loss): void {
    const begun = this.#requests.get(request)
    if (begun === undefined) return
    begun.losses ??= new Set()
    begun.losses.add(rule)
  }

  /** The link is closed. */
  closed(): void {
    if (this.#over) return
    this.#over = true
    for (const request of [...this.#requests.keys()]) while (this.#requests.has(request)) this.#end(request, CANCELLED)
    for (const id of [...this.#questions.keys()]) this.withdrawn(id)
    this.#embedded.giveUp()
  }

  // Messages to the client

  answered(request: RequestId, frame: string): void {
    if (frame.startsWith('[')) return this.#answeredAll(request, JSON.parse(frame) as Body[])
    if (this.#requests.has(request)) this.#finish(request, answeredWith(frame))
  }

  asked({ id, method, params }: RequestMessage, request: RequestId | undefined): void {
    const related = request === undefined ? undefined : this.#requests.get(request)
    const party = related?.party ?? this.#party(undefined, undefined)
    this.#questions.set(id, { method, params, party, at: this.#now, server: this.#serverOf(related) })
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
    const begun: OpenRequest = {
      method,
      params,
      party: this.#party(params, origin),
      at: this.#now,
      before: this.#requests.get(key),
    }
    if (batch !== undefined) begun.batch = batch
    this.#requests.set(key, begun)
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

  #party(params: Body | undefined, origin: FrameOrigin | undefined): Party {
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

  /** Ends each request of a batch. Requests without an answer were cancelled. */
  #answeredAll(first: RequestId, answers: readonly Body[]): void {
    const batch = this.#requests.get(first)?.batch ?? []
    for (const answer of answers)
      if (this.#requests.has(answer['id'] as RequestId)) this.#finish(answer['id'] as RequestId, memberEnd(answer))
    for (const id of batch) if (this.#requests.get(id)?.batch === batch) this.#end(id, CANCELLED)
  }

  #finish(request: RequestId, { end, asking }: Answered): void {
    const begun = this.#requests.get(request) as OpenRequest
    this.#end(request, end)
    if (asking === undefined) return
    const common = { party: begun.party, at: this.#now, server: this.#serverOf(begun) }
    this.#embedded.ask(asking, (method, params) => ({ ...common, method, params }))
  }

  #end(request: RequestId, end: End): void {
    const begun = this.#requests.get(request) as OpenRequest
    if (begun.before === undefined) this.#requests.delete(request)
    else this.#requests.set(request, begun.before)
    const { method, params } = begun
    const subject = subjectOf(method, params)
    const { server, nameAtServer } = this.#options.locate(subject)
    // The id of a task gives access to the task.
    const target =
      subject === undefined || nameAtServer === undefined || subject.kind === 'task'
        ? undefined
        : subject.kind === 'resource'
          ? plainUri(nameAtServer)
          : nameAtServer
    this.#write('request', begun, { server, target: target && shortTarget(target) }, end)
  }

  #answer(id: unknown, end: End): void {
    const asked = this.#questions.get(id as RequestId)
    if (asked === undefined) return
    this.#questions.delete(id as RequestId)
    this.#answeredQuestion(asked, end)
  }

  #answeredQuestion(asked: OpenQuestion, end: End): void {
    this.#write('question', asked, { server: asked.server }, end)
  }

  #write(
    kind: 'request' | 'question',
    { method, params, party, at, losses }: Omit<OpenRequest, 'batch' | 'before'>,
    place: { server: string; target?: string | undefined },
    end: End,
  ): void {
    this.#options.write({
      kind,
      ms: Math.max(0, Math.round(this.#now - at)),
      ...party,
      ...place,
      method: shortName(method) as string,
      params: params && digestOf((exactWriter(params) ?? JSON.stringify)(params)),
      ...end,
      losses: losses && [...losses].sort(),
    })
  }

  #serverOf(begun: OpenRequest | undefined): string {
    return this.#options.locate(begun && subjectOf(begun.method, begun.params)).server
  }
}

function clientIn(info: unknown): Party['client'] {
  if (!isObject(info)) return undefined
  return { name: shortName(info['name']) ?? '', version: shortName(info['version']) ?? '' }
}

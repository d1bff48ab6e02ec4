/** Fake exchanges and a fake session, for tests of the stateless link. */
import { expect } from 'vitest'
import { type FrameOrigin, type Incoming, parse, type RequestId } from '../../jsonrpc/index.ts'
import { type FakeClock, fakeClock } from '../../testing/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../../transport/index.ts'
import { Heartbeat } from '../heartbeat.ts'
import { NextTick } from '../next-tick.ts'
import type { AnswerMode } from '../options.ts'
import { heartbeatPeriod } from '../responses/response.ts'
import { type IncomingRequest, StatelessLink } from './stateless-link.ts'

/** A posted request and its response. */
export class Posted implements Exchange, Sink {
  readonly method = 'POST'
  readonly path = '/mcp'
  readonly query = ''
  readonly body: string
  address: string | undefined
  gone = false
  buffered = 0
  status: number | undefined
  headers: ResponseHeaders = {}
  text = ''
  state: 'waiting' | 'whole' | 'streaming' | 'ended' | 'aborted' = 'waiting'
  /** Listeners of `onGone` that were not removed. */
  readonly watching = new Set<() => void>()
  #onClose: (() => void) | undefined

  constructor(id: RequestId, method: string) {
    this.body = JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })
  }

  get incoming(): IncomingRequest {
    return parse(this.body) as IncomingRequest
  }

  header(name: string): string | undefined {
    return name === 'x-name' ? 'value' : undefined
  }

  onGone(listener: () => void): () => void {
    if (this.gone) listener()
    this.watching.add(listener)
    return () => this.watching.delete(listener)
  }

  respond(status: number, headers: ResponseHeaders, body?: ResponseBody): void {
    expect(this.state).toBe('waiting')
    Object.assign(this, { status, headers, state: 'whole' })
    this.text =
      typeof body === 'string'
        ? body
        : (body ?? []).map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece))).join('')
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    expect(this.state).toBe('waiting')
    Object.assign(this, { status, headers, state: 'streaming' })
    return this
  }

  write(text: string): void {
    this.text += text
  }

  end(text = ''): void {
    this.text += text
    this.#over('ended')
  }

  abort(): void {
    this.#over('aborted')
  }

  onClose(listener: () => void): void {
    this.#onClose = listener
  }

  hangUp(): void {
    this.gone = true
    for (const told of this.watching) told()
    this.#onClose?.()
  }

  #over(state: 'ended' | 'aborted'): void {
    if (this.state !== 'streaming') return
    this.state = state
    this.#onClose?.()
  }
}

interface ReceivedFrame {
  text: string
  incoming: Incoming | undefined
  origin: FrameOrigin
}

/** The session's side of the link: received frames, and methods to answer them. */
export class Rig {
  readonly link: StatelessLink
  readonly clock: FakeClock = fakeClock()
  readonly asked: ReceivedFrame[] = []
  readonly abandoned: RequestId[] = []
  readonly heartbeat = new Heartbeat(this.clock, heartbeatPeriod(15_000))
  /** Called while a request is being taken. */
  meanwhile: ((key: RequestId) => void) | undefined

  constructor(answer: AnswerMode = 'auto', maxRequests = 100) {
    this.link = new StatelessLink({
      settings: { answer, maxRequests, maxUnread: 1000 },
      heartbeat: this.heartbeat,
      nextTick: new NextTick(this.clock),
    })
    this.link.open({
      frame: (text, incoming, origin) => {
        this.asked.push({ text, incoming, origin: origin as FrameOrigin })
        this.meanwhile?.(origin?.key as RequestId)
      },
      abandoned: (key) => void this.abandoned.push(key),
      closed: () => {},
    })
  }

  post(id: RequestId = 1, method = 'tools/call', principal?: string): Posted {
    const posted = new Posted(id, method)
    this.link.ask(posted, posted.incoming, principal)
    return posted
  }

  key(n = this.asked.length - 1): RequestId {
    return this.asked[n]?.origin.key as RequestId
  }

  say(frame: string, n?: number): void {
    this.link.send(frame, { relatedTo: this.key(n) })
  }

  answer(frame: string, n?: number, status?: number): void {
    this.link.send(frame, { relatedTo: this.key(n), final: true, ...(status === undefined ? {} : { status }) })
  }
}

/** All calls of a session that wait for answers of their clients, and the sealed tokens by which they are found (D-06, D-20). */
import type { ByteBudget } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import type { Body, RequestMessage } from '../../jsonrpc/index.ts'
import { askingMethods, beginQuestions, type QuestionsState, validResponses } from '../../versions/index.ts'
import { type Clock, systemMint } from '../clock.ts'
import type { SessionCore } from '../core.ts'
import { type Answer, InputRequired } from '../endpoint.ts'
import type { InboundCall } from '../incoming/inbound-call.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import { type AskingSettings, askingSettings } from './options.ts'
import { ParkedCall, type ParkingPlace, type Round } from './parked-call.ts'
import { embedded, undeclared } from './question.ts'
import { paramsDigest, Seal } from './seal.ts'
import { SpentTokens } from './spent-tokens.ts'

const asking: ReadonlySet<string> = new Set(askingMethods)

/** The content of a token: its kind, its owner, its request and its time. */
interface Payload {
  /** `park`: a call waits here. `state`: the handler is to be run again with `x`. */
  readonly k: 'park' | 'state'
  /** Of `park` the call, of `state` this very token. */
  readonly c: string
  /** Rounds so far. */
  readonly s: number
  readonly m: string
  readonly d: string
  readonly p: string
  /** Expires, began. */
  readonly e: number
  readonly b: number
  readonly x?: unknown
  /** Methods of the questions by their keys. */
  readonly q?: Record<string, string>
}

interface Alarm {
  readonly at: number
  readonly stop?: () => void
}

const SILENT: Alarm = { at: Number.POSITIVE_INFINITY }

/** Whether the request brings back a token. */
export function isRetry(message: RequestMessage): boolean {
  return message.params?.['requestState'] !== undefined && asking.has(message.method)
}

export class Parking implements ParkingPlace {
  readonly #core: SessionCore
  readonly #settings: AskingSettings
  readonly #seal: Seal
  /** The first state of every call. States are immutable. */
  readonly #start: QuestionsState
  readonly #calls = new Map<number, ParkedCall>()
  readonly #id = systemMint()
  #lastCall = 0
  readonly #spent: SpentTokens
  #alarm: Alarm = SILENT
  /** Runs the handler of a call again. */
  readonly #begin: (call: InboundCall) => Answer | Promise<Answer>

  constructor(core: SessionCore, begin: (call: InboundCall) => Answer | Promise<Answer>) {
    this.#core = core
    this.#settings = askingSettings(core.settings.asking)
    this.#start = beginQuestions({ maxRounds: this.#settings.maxRounds })
    this.#seal = new Seal(core.settings.asking?.key)
    this.#spent = new SpentTokens(core.settings.clock, this.#settings.keepOutcome, this.#settings.maxParked)
    this.#begin = begin
  }

  get clock(): Clock {
    return this.#core.settings.clock
  }

  get gather(): number {
    return this.#settings.gather
  }

  get now(): number {
    return this.clock.now()
  }

  /** One question of a call. `round` answers the first request of the call. */
  ask(
    call: InboundCall,
    method: string,
    params: Body | undefined,
    options: EngineRequestOptions,
    round: () => Round,
  ): Promise<Body> {
    if (!asking.has(call.method)) {
      return Promise.reject(
        new ParleyError('version_gap', {
          message: `${call.method} is answered without questions: ${method} cannot be asked`,
        }),
      )
    }
    if (call.parked === undefined) {
      const message = this.#full(call.principal)
      if (message !== undefined) {
        return Promise.reject(new ParleyError('too_many_requests', { message }))
      }
      const parked = new ParkedCall(this, ++this.#lastCall, call, round(), this.#start)
      call.parked = parked
      this.#calls.set(parked.id, parked)
    }
    return call.parked.ask(method, embedded(params), options)
  }

  /** Answers a request that brings back a token. */
  async comeBack(request: InboundCall): Promise<Answer> {
    const token = request.params['requestState'] as string
    const opened = await this.#open(token)
    const isForeign = opened === undefined && this.#core.endpoint.takesForeignState === true
    const payload = isForeign ? undefined : await this.#checked(opened, request)
    // The request was given up while its token was read. The call goes on waiting.
    if (request.cancelled) throw new ParleyError('request_cancelled')
    if (payload === undefined) return this.#begin(request)
    // Shorter than the token.
    const name = `${payload.c} ${payload.s}`
    const spent = this.#spent.outcomeOf(name)
    if (spent !== undefined) {
      this.#callOf(payload.c)?.join(payload.s, request)
      return spent
    }
    const late = this.#lateness(payload)
    if (late !== undefined) return tooLate(request, late)
    const outcome = payload.k === 'park' ? this.#resume(payload, request) : this.#again(payload, request)
    this.#spent.add(name, outcome, request.budget as ByteBudget, isSpent)
    return outcome
  }

  async shown(parked: ParkedCall, sequence: number, questions: Readonly<Record<string, unknown>>): Promise<Body> {
    const { call, beganAt } = parked
    const token = await this.#token(call, {
      k: 'park',
      c: `${this.#id} ${parked.id}`,
      s: sequence,
      e: this.now + this.timeLeft(parked),
      b: beganAt,
    })
    return { resultType: 'input_required', inputRequests: questions, requestState: token }
  }

  /** The answer that shows questions of a handler that will be run again. */
  async shownState(call: InboundCall, { requests, state }: InputRequired): Promise<Answer> {
    const { maxRounds, ttl, maxLife } = this.#settings
    const { rounds, beganAt } = call.again ?? { rounds: 0, beganAt: this.now }
    if (rounds >= maxRounds)
      throw new ParleyError('internal_error', { message: 'The call asked its client too many times' })
    for (const { method } of Object.values(requests)) {
      const missing = undeclared(call.caller, method)
      if (missing !== undefined) throw missing
    }
    const q = Object.fromEntries(Object.entries(requests).map(([key, { method }]) => [key, method]))
    // Without state to keep, a client that knows the questions may send the answers with its first request.
    if (
      rounds === 0 &&
      state === undefined &&
      Object.keys(validResponses(call.params['inputResponses'], q)).length > 0
    ) {
      return this.#again({ s: 1, b: beganAt, q }, call)
    }
    const e = Math.min(this.now + ttl, beganAt + maxLife)
    const token = await this.#token(call, {
      k: 'state',
      c: systemMint(),
      s: rounds + 1,
      e,
      b: beganAt,
      x: state ?? null,
      q,
    })
    const body: Body = { resultType: 'input_required', requestState: token }
    return Object.keys(requests).length === 0 ? body : { ...body, inputRequests: requests }
  }

  timeLeft({ beganAt }: ParkedCall): number {
    return Math.max(0, Math.min(this.#settings.ttl, beganAt + this.#settings.maxLife - this.now))
  }

  /** One timer for all calls, to save memory. */
  wakeAt(moment: number): void {
    if (moment >= this.#alarm.at) return
    this.#alarm.stop?.()
    this.#alarm = { at: moment, stop: this.clock.after(Math.max(0, moment - this.now), () => this.#ring()) }
  }

  forget(parked: ParkedCall): void {
    this.#calls.delete(parked.id)
    if (this.#calls.size > 0) return
    this.#alarm.stop?.()
    this.#alarm = SILENT
  }

  close(reason: string): void {
    for (const parked of [...this.#calls.values()]) parked.cancel(reason)
    this.#spent.clear()
  }

  #ring(): void {
    this.#alarm = SILENT
    const { now } = this
    for (const parked of [...this.#calls.values()]) parked.tick(now)
    let next = Number.POSITIVE_INFINITY
    for (const { deadline } of this.#calls.values()) if (deadline < next) next = deadline
    this.wakeAt(next)
  }

  /** Why no further call may wait, if so. Where clients are known, one client cannot take all places. */
  #full(principal: string | undefined): string | undefined {
    const { maxParked, maxParkedEach } = this.#settings
    const isShared = this.#core.settings.sharedLink
    if (this.#calls.size >= maxParked) return `${maxParked} calls already wait for answers of their clients`
    if (!isShared || principal === undefined || this.#calls.size < maxParkedEach) return undefined
    let own = 0
    for (const { call } of this.#calls.values()) if (call.principal === principal) own++
    return own < maxParkedEach ? undefined : `${maxParkedEach} calls of this client already wait for its answers`
  }

  /** On a link of its own a client has no principal: it may come back on another link. */
  #ownerOf(call: InboundCall): string {
    return this.#core.settings.sharedLink ? (call.principal ?? '') : ''
  }

  async #token(call: InboundCall, about: Omit<Payload, 'm' | 'd' | 'p'>): Promise<string> {
    const payload: Payload = { ...about, m: call.method, d: await paramsDigest(call.params), p: this.#ownerOf(call) }
    return this.#seal.seal(payload as never)
  }

  async #open(token: unknown): Promise<Payload | undefined> {
    return typeof token === 'string' ? ((await this.#seal.open(token)) as Payload | undefined) : undefined
  }

  async #checked(opened: Payload | undefined, request: InboundCall): Promise<Payload> {
    if (opened === undefined)
      throw invalid('it is not a state this server gave, or it was sealed with another asking.key')
    if (opened.p !== this.#ownerOf(request)) throw invalid('it was given to another client')
    if (opened.m !== request.method || opened.d !== (await paramsDigest(request.params)))
      throw invalid('it belongs to another request')
    return opened
  }

  /** Why a valid token has no call any more, if so. */
  #lateness({ k, c, e }: Payload): string | undefined {
    if (this.now >= e) return 'its time is over'
    if (k === 'state' || this.#callOf(c) !== undefined) return undefined
    // The call may still wait in that process, so the client must not call again.
    if (!this.#isOfHere(c))
      throw invalid('the call it belongs to began in another process or session, and no longer waits here')
    return 'the call no longer waits for answers'
  }

  /** The token names the session where the call waits: numbers of calls are unique there only. */
  #isOfHere(name: string): boolean {
    return name.startsWith(`${this.#id} `)
  }

  #callOf(name: string): ParkedCall | undefined {
    return this.#isOfHere(name) ? this.#calls.get(Number(name.slice(this.#id.length + 1))) : undefined
  }

  async #resume({ c, s }: Payload, request: InboundCall): Promise<Answer> {
    const parked = this.#callOf(c) as ParkedCall
    return new Promise((resolve, reject) => {
      parked.comeBack(s, request, { settle: resolve, fail: reject })
      request.again = parked.call.again
    })
  }

  async #again({ s, b, x, q }: Pick<Payload, 's' | 'b' | 'x' | 'q'>, request: InboundCall): Promise<Answer> {
    request.again = { rounds: s, beganAt: b }
    request.retry = { responses: validResponses(request.params['inputResponses'], q ?? {}), state: x ?? undefined }
    const answer = await this.#begin(request)
    return answer instanceof InputRequired ? this.shownState(request, answer) : answer
  }
}

/** Whether a failure has used up the token. After a refusal or a cancellation the client may try again. */
function isSpent(error: unknown): boolean {
  return !(
    error instanceof ParleyError &&
    (error.kind === 'request_state_invalid' || error.kind === 'request_cancelled')
  )
}

/** The answer to a token that came too late. A model gets a text and may call again. A program gets an error. */
function tooLate({ method }: InboundCall, why: string): Body {
  if (method !== 'tools/call') throw invalid(`${why}; make the request anew, without it`)
  const text = `The interaction has expired: ${why}. What the call was to do may or may not have been done; if it is still wanted, call the tool again.`
  return { content: [{ type: 'text', text }], isError: true }
}

function invalid(why: string): ParleyError {
  return new ParleyError('request_state_invalid', { message: `Invalid requestState: ${why}` })
}

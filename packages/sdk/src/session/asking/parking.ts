/**
 * All calls of a session that wait for answers of their clients, and the sealed tokens by which they are found again
 * (D-06, D-20, 8.2).
 */
import type { ByteBudget } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import type { Body, RequestMessage } from '../../jsonrpc/index.ts'
import { askingMethods, beginQuestions, type QuestionsState, validResponses } from '../../versions/index.ts'
import { type Clock, systemMint } from '../clock.ts'
import type { SessionCore } from '../core.ts'
import { type Answer, InputRequired } from '../endpoint.ts'
import type { InboundCall } from '../incoming/inbound-call.ts'
import type { RequestOptions } from '../options.ts'
import { type AskingSettings, askingSettings } from './options.ts'
import { type Leg, ParkedCall } from './parked-call.ts'
import { embedded, undeclared } from './question.ts'
import { paramsDigest, Seal } from './seal.ts'
import { SpentTokens } from './spent-tokens.ts'

const asking: ReadonlySet<string> = new Set(askingMethods)

/** What a token says: of which kind it is, whose, for what, and until when. */
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

/** The request brings back what it was given. */
export function isRetry(message: RequestMessage): boolean {
  return message.params?.['requestState'] !== undefined && asking.has(message.method)
}

export class Parking {
  readonly #core: SessionCore
  readonly #settings: AskingSettings
  readonly #seal: Seal
  /** How every call begins: states are never changed, so all may have the same. */
  readonly #start: QuestionsState
  readonly #calls = new Map<number, ParkedCall>()
  readonly #place = systemMint()
  #lastCall = 0
  readonly #spent: SpentTokens
  #alarm: Alarm = SILENT
  /** Makes the calls that begin anew answerable. */
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

  /** How long to wait for more questions, in milliseconds. */
  get gather(): number {
    return this.#settings.gather
  }

  get now(): number {
    return this.clock.now()
  }

  /** A question of a call; `leg` is how the request it is being answered on can be answered. */
  ask(
    call: InboundCall,
    method: string,
    params: Body | undefined,
    options: RequestOptions,
    leg: () => Leg,
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
      call.parked = new ParkedCall(this, ++this.#lastCall, call, leg(), this.#start)
      this.#calls.set(call.parked.id, call.parked)
    }
    return call.parked.ask(method, embedded(params), options)
  }

  /** Answers a request that brings back a token. */
  async comeBack(leg: InboundCall): Promise<Answer> {
    const token = leg.params['requestState'] as string
    const opened = await this.#open(token)
    const isForeign = opened === undefined && this.#core.endpoint.takesForeignState === true
    const payload = isForeign ? undefined : await this.#checked(opened, leg)
    // Given up while the token was read: what it stands for goes on waiting.
    if (leg.cancelled) throw new ParleyError('request_cancelled')
    if (payload === undefined) return this.#begin(leg)
    // Says as much as the token, which may be long.
    const name = `${payload.c} ${payload.s}`
    const spent = this.#spent.outcomeOf(name)
    if (spent !== undefined) {
      this.#callOf(payload.c)?.join(payload.s, leg)
      return spent
    }
    const late = this.#lateness(payload)
    if (late !== undefined) return tooLate(leg, late)
    const outcome = payload.k === 'park' ? this.#resume(payload, leg) : this.#again(payload, leg)
    this.#spent.add(name, outcome, leg.budget as ByteBudget, isSpent)
    return outcome
  }

  /** The answer that shows questions of a call that waits. */
  async shown(parked: ParkedCall, sequence: number, questions: Readonly<Record<string, unknown>>): Promise<Body> {
    const { call, beganAt } = parked
    const token = await this.#token(call, {
      k: 'park',
      c: `${this.#place} ${parked.id}`,
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
    // Where nothing has to be remembered, a client that knows the questions may bring the answers at once.
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

  /** One timer for all calls: each would otherwise hold two of its own for as long as it waits. */
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

  /** One who never comes back must not take the places of all others, where it is known who is who. */
  #full(principal: string | undefined): string | undefined {
    const { maxParked, maxParkedEach } = this.#settings
    const isShared = this.#core.settings.sharedLink
    if (this.#calls.size >= maxParked) return `${maxParked} calls already wait for answers of their clients`
    if (!isShared || principal === undefined || this.#calls.size < maxParkedEach) return undefined
    let own = 0
    for (const { call } of this.#calls.values()) if (call.principal === principal) own++
    return own < maxParkedEach ? undefined : `${maxParkedEach} calls of this client already wait for its answers`
  }

  /** On a link of its own a client is who it is: it may come back on another one. */
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

  async #checked(opened: Payload | undefined, leg: InboundCall): Promise<Payload> {
    if (opened === undefined)
      throw invalid('it is not a state this server gave, or it was sealed with another asking.key')
    if (opened.p !== this.#ownerOf(leg)) throw invalid('it was given to somebody else')
    if (opened.m !== leg.method || opened.d !== (await paramsDigest(leg.params)))
      throw invalid('it belongs to another request')
    return opened
  }

  /** Why nothing comes of a token any more that was good once. */
  #lateness({ k, c, e }: Payload): string | undefined {
    if (this.now >= e) return 'its time is over'
    if (k === 'state' || this.#callOf(c) !== undefined) return undefined
    // It may well wait where it began: to call again would be bad advice.
    if (!this.#isOfHere(c))
      throw invalid('the call it belongs to began in another process or session, and no longer waits here')
    return 'the call no longer waits for answers'
  }

  /** The token names the place where the call waits: another process may have one of the same number. */
  #isOfHere(name: string): boolean {
    return name.startsWith(`${this.#place} `)
  }

  #callOf(name: string): ParkedCall | undefined {
    return this.#isOfHere(name) ? this.#calls.get(Number(name.slice(this.#place.length + 1))) : undefined
  }

  async #resume({ c, s }: Payload, leg: InboundCall): Promise<Answer> {
    const parked = this.#callOf(c) as ParkedCall
    return new Promise((resolve, reject) => {
      parked.comeBack(s, leg, { settle: resolve, fail: reject })
      leg.again = parked.call.again
    })
  }

  async #again({ s, b, x, q }: Pick<Payload, 's' | 'b' | 'x' | 'q'>, leg: InboundCall): Promise<Answer> {
    leg.again = { rounds: s, beganAt: b }
    leg.retry = { responses: validResponses(leg.params['inputResponses'], q ?? {}), state: x ?? undefined }
    const answer = await this.#begin(leg)
    return answer instanceof InputRequired ? this.shownState(leg, answer) : answer
  }
}

/** Neither a refusal nor a request that was given up spends anything: the client may correct itself, or come again. */
function isSpent(error: unknown): boolean {
  return !(
    error instanceof ParleyError &&
    (error.kind === 'request_state_invalid' || error.kind === 'request_cancelled')
  )
}

/**
 * 8.2 rule 9: a model can call again; a program gets the error. Whether the first call has done something nobody can
 * tell by now.
 */
function tooLate({ method }: InboundCall, why: string): Body {
  if (method !== 'tools/call') throw invalid(`${why}; make the request anew, without it`)
  const text = `The interaction has expired: ${why}. What the call was to do may or may not have been done; if it is still wanted, call the tool again.`
  return { content: [{ type: 'text', text }], isError: true }
}

function invalid(why: string): ParleyError {
  return new ParleyError('request_state_invalid', { message: `Invalid requestState: ${why}` })
}

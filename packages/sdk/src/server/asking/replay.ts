/**
 * A handler that is run again with each answer: what was asked and done in earlier runs is remembered by key, and
 * travels with the client.
 */
import { type ErrorKind, ParleyError, ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { InputRequests } from '../../protocol/index.ts'
import { afterTurns, InputRequired, type Retry } from '../../session/index.ts'
import { isBuiltIn, Unwritable } from '../tools/failure.ts'

/** What is remembered between two runs; short names, because it travels. */
export interface ReplayState {
  /** Answers by key. */
  readonly a?: Body
  /** Effects by key. */
  readonly e?: Record<string, EffectOutcome>
  /** What a handler itself wants to be given again. */
  readonly s?: unknown
}

/** How an effect ended: with a value, or with what it threw, which has a kind when it was meant for the client. */
type EffectOutcome = { readonly v?: unknown } | EffectFailure
interface EffectFailure {
  readonly f: string
  readonly kind?: ErrorKind | 'tool' | 'json' | 'built-in'
  /** What a client is told beside the message. */
  readonly data?: unknown
}

export class Replay {
  /** Kept when the run can go no further without answers. */
  readonly suspended: Promise<InputRequired>
  readonly #answers: Body
  readonly #effects: Record<string, EffectOutcome>
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #open = new Map<string, Body>()
  #suspend: (required: InputRequired) => void = () => {}
  #required: InputRequired | undefined
  #checking = false
  #busy = 0

  constructor(retry: Retry | undefined) {
    const { a, e } = (retry?.state ?? {}) as ReplayState
    this.#answers = { ...a, ...retry?.responses }
    this.#effects = { ...e }
    this.suspended = new Promise((resolve) => {
      this.#suspend = resolve
    })
  }

  /** The answer of an earlier round; without one the run ends here, and the promise is never kept. */
  ask(key: string, method: string, params: Body | undefined): Promise<Body> {
    if (Object.hasOwn(this.#answers, key)) return Promise.resolve(this.#answers[key] as Body)
    this.#open.set(key, params === undefined ? { method } : { method, params })
    this.#check()
    return new Promise(() => {})
  }

  once<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    const running = this.#running.get(key) as Promise<T> | undefined
    if (running !== undefined) return running
    const done = Object.hasOwn(this.#effects, key) ? (this.#effects[key] as EffectOutcome) : undefined
    // The run is over, though its handler may not have noticed: what it did now the next run would do again.
    if (done === undefined && this.#required !== undefined) return new Promise(() => {})
    const outcome = done === undefined ? this.#perform(key, effect) : recall<T>(done)
    this.#running.set(key, outcome)
    return outcome
  }

  isOwn(required: InputRequired): boolean {
    return required === this.#required
  }

  /** Whether the next run would have to know of this one. */
  get remembers(): boolean {
    return Object.keys(this.#answers).length + Object.keys(this.#effects).length > 0
  }

  /** What the next run has to know, with what the handler itself wants to keep. */
  state(own?: unknown): ReplayState {
    return { a: this.#answers, e: this.#effects, ...(own === undefined ? {} : { s: own }) }
  }

  async #perform<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    this.#busy++
    try {
      const v = asJson(key, await effect())
      this.#effects[key] = { v }
      return v
    } catch (thrown) {
      const failed = failedWith(thrown)
      this.#effects[key] = failed
      throw recallError(failed, thrown)
    } finally {
      this.#busy--
      if (this.#open.size > 0) this.#check()
    }
  }

  /** An effect that has begun is waited for: its outcome must not be lost, or it would be repeated. */
  #check(): void {
    if (this.#checking) return
    this.#checking = true
    afterTurns(() => {
      this.#checking = false
      if (this.#busy > 0 || this.#required !== undefined) return
      this.#required = new InputRequired(Object.fromEntries(this.#open) as InputRequests, this.state())
      this.#suspend(this.#required)
    })
  }
}

function recall<T>(done: EffectOutcome): Promise<T> {
  return 'f' in done ? Promise.reject(recallError(done)) : Promise.resolve(recallValue<T>(done))
}

/** In every run the handler sees the same; only the first knows the cause. */
function recallError({ f, kind, data }: EffectFailure, thrown?: unknown): Error {
  if (kind === undefined) return new Error(f, thrown === undefined ? undefined : { cause: thrown })
  if (kind === 'built-in') return new TypeError(f, thrown === undefined ? undefined : { cause: thrown })
  const cause = (thrown as Error | undefined)?.cause
  if (kind === 'json') return new Unwritable(f, { cause })
  return kind === 'tool'
    ? new ToolError(f, { structured: data as Body, cause })
    : new ParleyError(kind, { message: f, data: data as Body, cause })
}

function failedWith(thrown: unknown): EffectFailure {
  const f = messageOf(thrown)
  if (thrown instanceof Unwritable) return { f, kind: 'json' }
  if (thrown instanceof ToolError) return { f, kind: 'tool', data: jsonOf(thrown.structured) }
  // What came from a peer of this server is none of the client's business, and stays so.
  if (thrown instanceof ParleyError && thrown.receivedCode === undefined)
    return { f, kind: thrown.kind, data: jsonOf(thrown.data) }
  // Stays an error whose text the client is not shown.
  return typeof thrown === 'object' && thrown !== null && isBuiltIn(thrown) ? { f, kind: 'built-in' } : { f }
}

/** What has no form in JSON is left behind. */
function jsonOf(value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

function recallValue<T>(done: EffectOutcome): T {
  return (done as { v?: unknown }).v as T
}

/** In every run and every delivery the handler sees the same: the value as it would travel. */
export function asJson<T>(key: string, value: T): T {
  if (value === undefined) return value
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new Unwritable(`What once("${key}") gave cannot be written as JSON: ${messageOf(cause)}`, { cause })
  }
  if (text === undefined)
    throw new Unwritable(`What once("${key}") gave cannot be written as JSON: it is a ${typeof value}`)
  return JSON.parse(text)
}

function messageOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 1000)
}

/**
 * The questions and effects of one call: `ctx.elicit`, `ctx.elicitUrl`, `ctx.sample`, `ctx.roots` and `ctx.once`.
 * The client answers while the handler waits, or the handler runs again with each answer (`Replay`).
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { CreateMessageResult, FormSchema, Root } from '../../protocol/index.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
  type OutputOf,
  type SchemaLike,
} from '../../schema/index.ts'
import {
  type Duration,
  type Inbound,
  InputRequired,
  milliseconds,
  peerRunsTasks,
  type RequestOptions,
  requestAsTask,
  type TaskPeer,
} from '../../session/index.ts'
import { supports } from '../../versions/index.ts'
import { requireCapability } from './client.ts'
import { toForm, withDefaults } from './form.ts'
import { asJson, Replay, type ReplayState } from './replay.ts'
import { type SamplePrompt, sampleParams } from './sampling.ts'

export interface TaskWish {
  /** How long the client is asked to keep the task. */
  ttl?: Duration
}

/** Settings of one question. Default time-out: 10 minutes, because a person or a model answers. */
export interface AskOptions extends RequestOptions {
  /** Lets a client that supports it answer as a task. Then only `maxTimeout` applies. */
  task?: TaskWish
}

export type ElicitAnswer<Content> =
  | { action: 'accept'; content: Content }
  | { action: 'decline' | 'cancel'; content?: undefined }

export interface UrlAnswer {
  action: 'accept' | 'decline' | 'cancel'
  /** Tells the client that the visit of the URL is complete. Does nothing if the version has no such message. */
  complete(): void
}

const DEFAULT_TIMEOUT: AskOptions = { timeout: '10m' }

/** After this number of failed questions in a row, each further question of the call is delayed. */
const MAX_FAILURES = 16
const FAILURE_DELAY = '1s'

export class Questions {
  readonly #request: Inbound
  /** Set where the handler runs again with each answer. */
  readonly #replay: Replay | undefined
  /** Keys of the questions asked so far. Thousands of calls may wait, so a list is made when it is needed. */
  #asked: string[] | undefined
  /** Keys of the questions that have ended. */
  #ended: string[] | undefined
  /** Questions that failed since the last answer. */
  #failures = 0
  /** Effects whose function is being called at this moment. */
  #starting = 0
  #effects: Map<string, Promise<unknown>> | undefined

  constructor(request: Inbound, replays: boolean) {
    this.#request = request
    this.#replay = replays && supports(request.caller.version, 'mrtr') ? new Replay(request.retry) : undefined
  }

  /** Resolves when the run cannot continue without answers; `undefined` where the handler waits instead. */
  get suspended(): Promise<InputRequired> | undefined {
    return this.#replay?.suspended
  }

  /** The first question that has not ended. */
  get open(): string | undefined {
    return this.#asked?.find((key) => this.#ended?.includes(key) !== true)
  }

  /** Adds to questions in the raw form the state that the next run needs. */
  withState(required: InputRequired): InputRequired {
    if (this.#replay?.isOwn(required) || (required.state === undefined && !this.#replay?.remembers)) return required
    return new InputRequired(
      required.requests,
      this.#replay?.state(required.state) ?? ({ s: required.state } satisfies ReplayState),
    )
  }

  elicit<Schema extends SchemaLike>(
    key: string,
    message: string,
    schema: Schema,
    options?: AskOptions,
  ): Promise<ElicitAnswer<OutputOf<Schema>>> {
    return handled(this.#elicit(key, message, schema, options))
  }

  // A question may wait for hours in thousands of calls: each is one async function without closures.
  async #elicit<Schema extends SchemaLike>(
    key: string,
    message: string,
    schema: Schema,
    options: AskOptions | undefined,
  ): Promise<ElicitAnswer<OutputOf<Schema>>> {
    try {
      requireArguments('elicit(key, message, schema)', key, typeof message === 'string' && schema !== undefined)
      const delay = this.#claim(key)
      if (delay !== undefined) await delay
      requireCapability(this.#request.caller, 'elicitation.form')
      const { compiled, form } = await formFor(key, schema)
      const answer = await this.#ask(key, 'elicitation/create', { message, requestedSchema: form }, options)
      this.#failures = 0
      if (readAction(key, answer) !== 'accept') return { action: answer['action'] as 'decline' | 'cancel' }
      const checked = await compiled.validate(withDefaults(form, (answer['content'] as Body | undefined) ?? {}))
      if (!checked.ok)
        throw new ParleyError('invalid_answer', {
          message: `The answer to "${key}" does not fit: ${describeIssues(checked.issues)}`,
        })
      return { action: 'accept', content: checked.value as OutputOf<Schema> }
    } catch (error) {
      throw this.#failed(error)
    } finally {
      this.#end(key)
    }
  }

  elicitUrl(key: string, message: string, url: string, options?: AskOptions): Promise<UrlAnswer> {
    return handled(this.#elicitUrl(key, message, url, options))
  }

  async #elicitUrl(key: string, message: string, url: string, options: AskOptions | undefined): Promise<UrlAnswer> {
    try {
      requireArguments('elicitUrl(key, message, url)', key, typeof message === 'string' && url !== undefined)
      const delay = this.#claim(key)
      if (delay !== undefined) await delay
      if (!URL.canParse(url)) throw new TypeError(`elicitUrl("${key}"): not an absolute URL`)
      const { session, caller } = this.#request
      requireCapability(caller, 'elicitation.url')
      // The id is only for the notification that the visit is complete.
      const elicitationId = caller.can('notifications/elicitation/complete') ? session.mint() : undefined
      const params = { mode: 'url', message, url, ...(elicitationId && { elicitationId }) }
      const answer = await this.#ask(key, 'elicitation/create', params, options)
      this.#failures = 0
      return {
        action: readAction(key, answer),
        complete: () => void (elicitationId && session.notify('notifications/elicitation/complete', { elicitationId })),
      }
    } catch (error) {
      throw this.#failed(error)
    } finally {
      this.#end(key)
    }
  }

  sample(key: string, prompt: SamplePrompt, options?: AskOptions): Promise<CreateMessageResult> {
    return handled(this.#sample(key, prompt, options))
  }

  async #sample(key: string, prompt: SamplePrompt, options: AskOptions | undefined): Promise<CreateMessageResult> {
    try {
      const delay = this.#claim(key)
      if (delay !== undefined) await delay
      const params = sampleParams(prompt)
      const usesTools = params.tools !== undefined || params.toolChoice !== undefined
      requireCapability(this.#request.caller, usesTools ? 'sampling.tools' : 'sampling')
      const answer = await this.#ask(key, 'sampling/createMessage', params, options)
      this.#failures = 0
      if (typeof answer['model'] !== 'string' || typeof answer['content'] !== 'object' || answer['content'] === null) {
        throw new ParleyError('invalid_answer', { message: `The answer to "${key}" is not a message of a model` })
      }
      return answer as CreateMessageResult
    } catch (error) {
      throw this.#failed(error)
    } finally {
      this.#end(key)
    }
  }

  roots(key: string, options?: Omit<AskOptions, 'task'>): Promise<Root[]> {
    return handled(this.#roots(key, options ?? {}))
  }

  async #roots(key: string, options: Omit<AskOptions, 'task'>): Promise<Root[]> {
    try {
      const delay = this.#claim(key)
      if (delay !== undefined) await delay
      requireCapability(this.#request.caller, 'roots')
      const { roots } = await this.#ask(key, 'roots/list', undefined, options)
      this.#failures = 0
      if (!Array.isArray(roots))
        throw new ParleyError('invalid_answer', { message: 'The client did not answer with a list of roots' })
      return roots
    } catch (error) {
      throw this.#failed(error)
    } finally {
      this.#end(key)
    }
  }

  once<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    checkKey(key)
    const perform = (): T | Promise<T> => {
      this.#starting++
      try {
        return effect()
      } finally {
        this.#starting--
      }
    }
    return handled(this.#replay === undefined ? this.#performOnce(key, perform) : this.#replay.once(key, perform))
  }

  #performOnce<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    this.#effects ??= new Map()
    let outcome = this.#effects.get(key) as Promise<T> | undefined
    if (outcome === undefined) {
      // The same conversion as in a replay, so that a value which JSON cannot write fails in both.
      outcome = new Promise<T>((resolve) => resolve(effect())).then((value) => asJson(key, value))
      this.#effects.set(key, outcome)
    }
    return outcome
  }

  #failed(error: unknown): unknown {
    // An invalid answer took time to arrive, so it does not count.
    if (error instanceof ParleyError && error.kind === 'invalid_answer') this.#failures = 0
    else this.#failures++
    return error
  }

  #end(key: string): void {
    if (this.#ended === undefined) this.#ended = [key]
    else this.#ended.push(key)
  }

  #ask(key: string, method: string, params: Body | undefined, options: AskOptions | undefined): Promise<Body> {
    return this.#replay === undefined ? this.#send(key, method, params, options) : this.#replay.ask(key, method, params)
  }

  #send(key: string, method: string, params: Body | undefined, options: AskOptions | undefined): Promise<Body> {
    // A question inside a result waits as long as its call may. The server has a setting for that.
    const defaults = supports(this.#request.caller.version, 'mrtr') ? undefined : DEFAULT_TIMEOUT
    if (options === undefined) return this.#request.request(method, params, { ...defaults, key })
    const { task, ...rest } = options
    const settings = { ...defaults, ...rest, key }
    return task === undefined
      ? this.#request.request(method, params, settings)
      : askAsTask(this.#request, method, params ?? {}, task, settings)
  }

  /** A replay tells questions apart by their keys alone, so each key is used once. Returns a delay, if one is due. */
  #claim(key: string): Promise<void> | undefined {
    checkKey(key)
    // In a replay neither could end: the effect waits for the answer, and the run waits for the effect.
    if (this.#starting > 0)
      throw new TypeError(`The question "${key}" is asked inside of once(): ask before it, and use the answer in it`)
    if (this.#asked?.includes(key))
      throw new TypeError(`The key "${key}" was used before in this call: give every question its own`)
    if (this.#asked === undefined) this.#asked = [key]
    else this.#asked.push(key)
    // A question may fail at once. A handler that asks again in a loop must not block the event loop.
    return this.#failures > MAX_FAILURES ? this.#delay() : undefined
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => void this.#request.session.clock.after(milliseconds(FAILURE_DELAY), resolve))
  }
}

/** Asks as a task where the client runs such questions as tasks, and with a plain request where it does not. */
async function askAsTask(
  request: Inbound,
  method: string,
  params: Body,
  wish: TaskWish,
  options: RequestOptions,
): Promise<Body> {
  const { session } = request
  if (!peerRunsTasks(session, method)) return request.request(method, params, options)
  const { maxTimeout, onProgress } = options
  const signal = options.signal === undefined ? request.signal : AbortSignal.any([options.signal, request.signal])
  const client: TaskPeer = {
    session,
    request: (name, body, how) => request.request(name, body, maxTimeout === undefined ? how : { ...how, maxTimeout }),
    onNotification: (name, handler) => session.onNotification(name, handler),
    onEnd: (end) => session.onClose(end),
  }
  const begun = await requestAsTask(client, method, params, { ...wish, signal, ...(onProgress && { onProgress }) })
  return 'task' in begun ? begun.task.result() : begun.result
}

interface FormOfSchema {
  readonly compiled: CompiledSchema
  form?: FormSchema
}

/** By schema: a schema that is used again is not compiled again. */
const forms = new WeakMap<object, FormOfSchema>()

/** A schema that no form can show is a mistake of this server, not of the client. */
async function formFor(key: string, schema: SchemaLike): Promise<Required<FormOfSchema>> {
  try {
    const known = forms.get(schema as object) ?? { compiled: compileSchema(schema, 'input') }
    forms.set(schema as object, known)
    known.form ??= toForm(await known.compiled.toJsonSchema())
    return known as Required<FormOfSchema>
  } catch (cause) {
    const why =
      cause instanceof ParleyError
        ? `a form needs an object schema with properties: ${cause.message}`
        : (cause as Error).message
    throw new TypeError(`elicit("${key}"): ${why}`, { cause })
  }
}

/** Marks a rejection as handled: a handler that does not await its question must not end the process. */
function handled<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(() => {})
  return outcome
}

function checkKey(key: unknown): void {
  if (typeof key !== 'string' || key === '')
    throw new TypeError('A question or an effect needs a key: a short string that is unique within the call')
  // Readers of JSON leave this name out, and with it the answer.
  if (key === '__proto__') throw new TypeError('"__proto__" cannot be the key of a question or an effect')
}

/** The argument that callers forget is mostly the key. Then every other argument is one position too early. */
function requireArguments(signature: string, key: unknown, complete: boolean): void {
  if (complete) return
  const shown = typeof key === 'string' ? JSON.stringify(key.slice(0, 60)) : typeof key
  throw new TypeError(
    `${signature}: three arguments are needed, and the first, here ${shown}, is a short key that names the question within this call`,
  )
}

function readAction(key: string, answer: Body): 'accept' | 'decline' | 'cancel' {
  const { action } = answer
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw new ParleyError('invalid_answer', { message: `The answer to "${key}" says neither accept, decline nor cancel` })
}

/** What a handler is given beside its arguments. One is made for every call, so it holds two references and makes everything else on first use. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { CreateMessageResult, FormSchema, LogLevel, ProtocolVersion, Root } from '../protocol/index.ts'
import { type CompiledSchema, compileSchema, describeIssues, type OutputOf, type SchemaLike } from '../schema/index.ts'
import { type Duration, type Inbound, InputRequired, milliseconds, type RequestOptions } from '../session/index.ts'
import { supports } from '../versions/index.ts'
import { ClientView } from './client-view.ts'
import type { Conversation } from './conversation.ts'
import { isPromise } from './definition.ts'
import { toForm, withDefaults } from './form.ts'
import type { Input } from './input.ts'
import { demand } from './question.ts'
import { asJson, Replay, type ReplayState } from './replay.ts'
import { type SamplePrompt, sampleParams } from './sample-params.ts'
import { askAsTask, type TaskWish } from './task-ask.ts'

/** A person or a model may take its time: default 10 minutes. */
export interface AskOptions extends Omit<RequestOptions, 'relatedTo'> {
  /** Lets the client answer as a task, in its own time, where it can; then only `maxTimeout` counts. */
  task?: TaskWish
}

export type ElicitAnswer<Content> = { action: 'accept'; content: Content } | { action: 'decline' | 'cancel'; content?: undefined }

export interface UrlAnswer {
  action: 'accept' | 'decline' | 'cancel'
  /** Tells the client that what happened at the URL is over; does nothing where the version has no such message. */
  complete(): void
}

const PATIENCE: AskOptions = { timeout: '10m' }

/** After so many questions in a row that failed, each has to wait for so long. */
const MAX_FAILURES = 16
const BREATH = '1s'

interface Asked {
  readonly compiled: CompiledSchema
  form?: FormSchema
}

/** What is asked with the same schema again is not compiled again, nor kept once for every call that waits. */
const asked = new WeakMap<object, Asked>()

function askedWith(schema: SchemaLike): Asked {
  const known = asked.get(schema as object)
  if (known !== undefined) return known
  const fresh: Asked = { compiled: compileSchema(schema, 'input') }
  asked.set(schema as object, fresh)
  return fresh
}

/** What no form can show is a mistake of this side, not of the client. */
async function formFor(key: string, schema: SchemaLike): Promise<Required<Asked>> {
  try {
    const known = askedWith(schema)
    known.form ??= toForm(await known.compiled.toJsonSchema())
    return known as Required<Asked>
  } catch (cause) {
    const why = cause instanceof ParleyError ? `a form needs an object schema with properties: ${cause.message}` : (cause as Error).message
    throw new TypeError(`elicit("${key}"): ${why}`, { cause })
  }
}

export class Context {
  /** The request being answered. */
  readonly request: Inbound
  readonly #conversation: Conversation
  /** Questions asked so far. */
  #keys: string[] | undefined
  /** Those of them that are over. */
  #over: string[] | undefined
  /** Questions that failed since the last one that was answered. */
  #failures = 0
  /** Effects that are being begun right now. */
  #beginning = 0
  #done: Map<string, Promise<unknown>> | undefined
  /** Made on first use; null where handlers are suspended instead. */
  #replaying: Replay | null | undefined

  constructor(request: Inbound, conversation: Conversation) {
    this.request = request
    this.#conversation = conversation
  }

  /** Where the handler is run again with each answer. */
  get #replay(): Replay | undefined {
    if (this.#replaying === undefined) {
      const replays = this.#conversation.host.replays && supports(this.version, 'mrtr')
      this.#replaying = replays ? new Replay(this.request.retry) : null
    }
    return this.#replaying ?? undefined
  }

  /** For whoever runs the handler: what it returned, or that it cannot go on without answers. */
  static outcome(ctx: Context, returned: unknown): unknown {
    // Most handlers need no such thing, and pay nothing for it.
    if (!ctx.#conversation.host.replays || !isPromise(returned)) return returned
    const replay = ctx.#replay
    return replay === undefined ? returned : Promise.race([returned, replay.suspended])
  }

  /** For whoever runs the handler, once it has returned: the first question that it did not wait for. */
  static unawaited(ctx: Context): string | undefined {
    return ctx.#keys?.find((key) => ctx.#over?.includes(key) !== true)
  }

  /** Questions in the raw form carry along what `elicit`, `sample`, `roots` and `once` need in the next run. */
  static asked(ctx: Context, required: InputRequired): InputRequired {
    if (ctx.#replay?.isOwn(required) || (required.state === undefined && !ctx.#replay?.remembers)) return required
    return new InputRequired(required.requests, ctx.#replay?.state(required.state) ?? ({ s: required.state } satisfies ReplayState))
  }

  /** The answers to what the handler asked by returning `inputRequired(…)`; empty on its first run. */
  get input(): Input {
    const { responses = {}, state } = this.request.retry ?? {}
    return { responses, state: (state as ReplayState | undefined)?.s }
  }

  /** Aborted when the client cancels or goes away. */
  get signal(): AbortSignal {
    return this.request.signal
  }

  get version(): ProtocolVersion {
    return this.request.caller.version
  }

  get client(): ClientView {
    return new ClientView(this.request.caller)
  }

  /** Who the request was authorised for; nobody on links without authorization. */
  get auth(): undefined {
    return undefined
  }

  /** Does nothing when nobody asked; values must grow. */
  progress(progress: number, total?: number, message?: string): void {
    this.request.progress(progress, total, message)
  }

  /** To the client's log, if it wants to hear of that level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#conversation.log(level, data, logger, this.request)
  }

  /** A notification that belongs to this request. */
  notify(method: string, params?: Body): void {
    this.request.notify(method, params)
  }

  /**
   * Lets the client hang up on a long call and come back for the answer after `retry`, so that no connection is held meanwhile.
   * Does nothing where the transport has no such thing or the client's version does not know it.
   */
  poll(retry?: Duration): void {
    this.request.release(retry)
  }

  /** Asks the user to fill in a form. The key names the question within this call. */
  elicit<const Schema extends SchemaLike>(key: string, message: string, schema: Schema, options?: AskOptions): Promise<ElicitAnswer<OutputOf<Schema>>> {
    return guardedAgainstExit(this.#elicit(key, message, schema, options))
  }

  async #elicit<Schema extends SchemaLike>(key: string, message: string, schema: Schema, options?: AskOptions): Promise<ElicitAnswer<OutputOf<Schema>>> {
    try {
      if (typeof message !== 'string' || schema === undefined) throw new TypeError(`elicit(key, message, schema): ${keyMissing(key)}`)
      const breath = this.#claim(key)
      if (breath !== undefined) await breath
      demand(this.request.caller, 'elicitation.form')
      const { compiled, form } = await formFor(key, schema)
      const answer = await this.#ask(key, 'elicitation/create', { message, requestedSchema: form }, options)
      this.#failures = 0
      if (readAction(key, answer) !== 'accept') return { action: answer['action'] as 'decline' | 'cancel' }
      const checked = await compiled.validate(withDefaults(form, (answer['content'] as Body | undefined) ?? {}))
      if (!checked.ok) throw new ParleyError('invalid_answer', { message: `The answer to "${key}" does not fit: ${describeIssues(checked.issues)}` })
      return { action: 'accept', content: checked.value as OutputOf<Schema> }
    } catch (error) {
      throw this.#counted(error)
    } finally {
      this.#ended(key)
    }
  }

  /** Asks the user to visit a page; accepting means that they went there, not that they are done. */
  elicitUrl(key: string, message: string, url: string, options?: AskOptions): Promise<UrlAnswer> {
    return guardedAgainstExit(this.#elicitUrl(key, message, url, options))
  }

  async #elicitUrl(key: string, message: string, url: string, options?: AskOptions): Promise<UrlAnswer> {
    try {
      if (typeof message !== 'string' || url === undefined) throw new TypeError(`elicitUrl(key, message, url): ${keyMissing(key)}`)
      const breath = this.#claim(key)
      if (breath !== undefined) await breath
      if (!URL.canParse(url)) throw new TypeError(`elicitUrl("${key}"): not an absolute URL`)
      const { session, caller } = this.request
      demand(caller, 'elicitation.url')
      // Only where the end of the visit can be told.
      const elicitationId = caller.can('notifications/elicitation/complete') ? session.mint() : undefined
      const answer = await this.#ask(key, 'elicitation/create', { mode: 'url', message, url, ...(elicitationId && { elicitationId }) }, options)
      this.#failures = 0
      return {
        action: readAction(key, answer),
        complete: () => void (elicitationId && session.notify('notifications/elicitation/complete', { elicitationId })),
      }
    } catch (error) {
      throw this.#counted(error)
    } finally {
      this.#ended(key)
    }
  }

  /** Asks the client's model. A string is a user message, answered with at most 1000 tokens. */
  sample(key: string, prompt: SamplePrompt, options?: AskOptions): Promise<CreateMessageResult> {
    return guardedAgainstExit(this.#sample(key, prompt, options))
  }

  async #sample(key: string, prompt: SamplePrompt, options?: AskOptions): Promise<CreateMessageResult> {
    try {
      const breath = this.#claim(key)
      if (breath !== undefined) await breath
      const params = sampleParams(prompt)
      const usesTools = params.tools !== undefined || params.toolChoice !== undefined
      demand(this.request.caller, usesTools ? 'sampling.tools' : 'sampling')
      const answer = await this.#ask(key, 'sampling/createMessage', params, options)
      this.#failures = 0
      if (typeof answer['model'] !== 'string' || typeof answer['content'] !== 'object' || answer['content'] === null) {
        throw new ParleyError('invalid_answer', { message: `The answer to "${key}" is not a message of a model` })
      }
      return answer as CreateMessageResult
    } catch (error) {
      throw this.#counted(error)
    } finally {
      this.#ended(key)
    }
  }

  /** The places the client lets this server work in. */
  roots(key = 'roots', options?: Omit<AskOptions, 'task'>): Promise<Root[]> {
    return guardedAgainstExit(this.#roots(key, options))
  }

  async #roots(key: string, options?: Omit<AskOptions, 'task'>): Promise<Root[]> {
    try {
      const breath = this.#claim(key)
      if (breath !== undefined) await breath
      demand(this.request.caller, 'roots')
      const { roots } = await this.#ask(key, 'roots/list', undefined, options ?? {})
      this.#failures = 0
      if (!Array.isArray(roots)) throw new ParleyError('invalid_answer', { message: 'The client did not answer with a list of roots' })
      return roots
    } catch (error) {
      throw this.#counted(error)
    } finally {
      this.#ended(key)
    }
  }

  /** Runs `effect` once in this call, however often the handler comes by; what it gave, or how it failed, is remembered. The value is what JSON makes of it: a `Date` is a string afterwards. */
  once<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    checkKey(key)
    const perform = (): T | Promise<T> => {
      this.#beginning++
      try {
        return effect()
      } finally {
        this.#beginning--
      }
    }
    const outcome = this.#replay === undefined ? this.#onlyOnce(key, perform) : this.#replay.once(key, perform)
    outcome.catch(ignore)
    return outcome
  }

  #onlyOnce<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    this.#done ??= new Map()
    let outcome = this.#done.get(key) as Promise<T> | undefined
    if (outcome === undefined) {
      // As where handlers are run again, so that what would be lost there shows everywhere.
      outcome = new Promise<T>((resolve) => resolve(effect())).then((value) => asJson(key, value))
      this.#done.set(key, outcome)
    }
    return outcome
  }

  #ask(key: string, method: string, params: Body | undefined, options: AskOptions | undefined): Promise<Body> {
    if (this.#replay !== undefined) return this.#replay.ask(key, method, params)
    // A question inside an answer waits as long as its call may: that is a setting of the server.
    const patience = supports(this.version, 'mrtr') ? undefined : PATIENCE
    if (options === undefined) return this.request.request(method, params, { ...patience, key })
    const { task, ...rest } = options
    const patient = { ...patience, ...rest, key }
    return task === undefined ? this.request.request(method, params, patient) : askAsTask(this.request, method, params ?? {}, task, patient)
  }

  /** Where a handler is run again with the answers so far, the key is all that tells one question from another. */
  #claim(key: string): Promise<void> | undefined {
    checkKey(key)
    // Where handlers are run again, neither would end: the effect without the answer, nor the run before the effect.
    if (this.#beginning > 0) throw new TypeError(`The question "${key}" is asked inside of once(): ask before it, and use the answer in it`)
    if (this.#keys?.includes(key)) throw new TypeError(`The key "${key}" was used before in this call: give every question its own`)
    if (this.#keys === undefined) this.#keys = [key]
    else this.#keys.push(key)
    // Some questions fail without taking any time: a handler that asks again whatever happens must not keep everybody else from working.
    return this.#failures > MAX_FAILURES ? this.#breathe() : undefined
  }

  #breathe(): Promise<void> {
    return new Promise((resolve) => void this.request.session.clock.after(milliseconds(BREATH), resolve))
  }

  #ended(key: string): void {
    if (this.#over === undefined) this.#over = [key]
    else this.#over.push(key)
  }

  #counted(error: unknown): unknown {
    // A bad answer is one, too: it took its time to come.
    if (error instanceof ParleyError && error.kind === 'invalid_answer') this.#failures = 0
    else this.#failures++
    return error
  }
}

/** A question that the handler does not wait for, say because something else failed first, must not end the process when it fails as well. */
function guardedAgainstExit<T>(outcome: Promise<T>): Promise<T> {
  outcome.catch(ignore)
  return outcome
}

// Handlers may take the context apart, as in `(args, { log }) => …`; a method is bound only when it is asked for, so that a call pays nothing for it.
for (const name of ['progress', 'poll', 'log', 'notify', 'elicit', 'elicitUrl', 'sample', 'roots', 'once'] as const) {
  const method = Context.prototype[name] as (this: Context, ...args: never[]) => unknown
  Object.defineProperty(Context.prototype, name, {
    get(this: Context) {
      return method.bind(this)
    },
  })
}

function ignore(): void {}

function checkKey(key: unknown): void {
  if (typeof key !== 'string' || key === '') throw new TypeError('A question or an effect needs a key: a short string that is unique within the call')
  // Readers of JSON leave this name out, and with it the answer.
  if (key === '__proto__') throw new TypeError('"__proto__" cannot be the key of a question or an effect')
}

/** What is forgotten is mostly the key, and then all others are one place too early. */
function keyMissing(given: unknown): string {
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 60)) : typeof given
  return `three arguments are needed, and the first, here ${shown}, is a short key that names the question within this call`
}

function readAction(key: string, answer: Body): 'accept' | 'decline' | 'cancel' {
  const { action } = answer
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw new ParleyError('invalid_answer', { message: `The answer to "${key}" says neither accept, decline nor cancel` })
}

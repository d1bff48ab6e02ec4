/** The second argument of every handler. One is made for every call, so it makes its parts on first use. */
import type { Body } from '../jsonrpc/index.ts'
import type { CreateMessageResult, LogLevel, Root } from '../protocol/index.ts'
import type { OutputOf, SchemaLike } from '../schema/index.ts'
import type { Duration, Inbound, InputRequired } from '../session/index.ts'
import type { ProtocolVersion } from '../versions/index.ts'
import { ClientView } from './asking/client.ts'
import type { Input } from './asking/input.ts'
import { type AskOptions, type ElicitAnswer, Questions, type UrlAnswer } from './asking/questions.ts'
import type { ReplayState } from './asking/replay.ts'
import type { SamplePrompt } from './asking/sampling.ts'
import { isPromise } from './definition.ts'

/** What a context needs of the endpoint. */
interface ContextHost {
  readonly host: { readonly replays: boolean }
  log(level: LogLevel, data: unknown, logger: string | undefined, related: Inbound): void
}

export class Context {
  /** The request being answered. */
  readonly request: Inbound
  readonly #conversation: ContextHost
  #made: Questions | undefined

  constructor(request: Inbound, conversation: ContextHost) {
    this.request = request
    this.#conversation = conversation
  }

  get #questions(): Questions {
    this.#made ??= new Questions(this.request, this.#conversation.host.replays)
    return this.#made
  }

  /** Internal: what the handler returned, or the questions that its run cannot continue without. */
  static outcome(ctx: Context, returned: unknown): unknown {
    // Most servers do not replay, and then this costs nothing.
    if (!ctx.#conversation.host.replays || !isPromise(returned)) return returned
    const { suspended } = ctx.#questions
    return suspended === undefined ? returned : Promise.race([returned, suspended])
  }

  /** Internal: the first question that was still open when the handler returned. */
  static unawaited(ctx: Context): string | undefined {
    return ctx.#made?.open
  }

  /** Internal: adds to questions in the raw form the state that the next run needs. */
  static withState(ctx: Context, required: InputRequired): InputRequired {
    return ctx.#questions.withState(required)
  }

  /** The answers to the questions of `inputRequired(…)`. Empty on the first run of the handler. */
  get input(): Input {
    const { responses = {}, state } = this.request.retry ?? {}
    return { responses, state: (state as ReplayState | undefined)?.s }
  }

  /** Aborted when the client cancels or disconnects. */
  get signal(): AbortSignal {
    return this.request.signal
  }

  get version(): ProtocolVersion {
    return this.request.caller.version
  }

  get client(): ClientView {
    return new ClientView(this.request.caller)
  }

  /** The authorised caller; always `undefined` on links without authorization. */
  get auth(): undefined {
    return undefined
  }

  /** Does nothing if the client did not ask for progress. Values must increase. */
  progress(progress: number, total?: number, message?: string): void {
    this.request.progress(progress, total, message)
  }

  /** Sends a log message to the client, if the client wants messages of that level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#conversation.log(level, data, logger, this.request)
  }

  /** A notification that belongs to this request. */
  notify(method: string, params?: Body): void {
    this.request.notify(method, params)
  }

  /**
   * Lets the client close the connection of a long call and come back for the answer after `retry`. Does nothing if the
   * transport or the client's version cannot do it.
   */
  poll(retry?: Duration): void {
    this.request.release(retry)
  }

  /** Asks the user to fill in a form. The key names the question within this call. */
  elicit<const Schema extends SchemaLike>(
    key: string,
    message: string,
    schema: Schema,
    options?: AskOptions,
  ): Promise<ElicitAnswer<OutputOf<Schema>>> {
    return this.#questions.elicit(key, message, schema, options)
  }

  /** Asks the user to visit a page. `accept` means that the user opened it, not that the user is done. */
  elicitUrl(key: string, message: string, url: string, options?: AskOptions): Promise<UrlAnswer> {
    return this.#questions.elicitUrl(key, message, url, options)
  }

  /** Asks the client's model. A string is a user message, answered with at most 1000 tokens. */
  sample(key: string, prompt: SamplePrompt, options?: AskOptions): Promise<CreateMessageResult> {
    return this.#questions.sample(key, prompt, options)
  }

  /** The folders and files that the client lets this server work in. */
  roots(key = 'roots', options?: Omit<AskOptions, 'task'>): Promise<Root[]> {
    return this.#questions.roots(key, options)
  }

  /**
   * Runs `effect` once in this call, even if the handler runs several times; its value or its error is remembered.
   * The value is converted to JSON and back: a `Date` becomes a string.
   */
  once<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    return this.#questions.once(key, effect)
  }
}

// Handlers may destructure the context, as in `(args, { log }) => …`. A method is bound when it is read, so that a call
// pays only for what it uses.
for (const name of ['progress', 'poll', 'log', 'notify', 'elicit', 'elicitUrl', 'sample', 'roots', 'once'] as const) {
  const method = Context.prototype[name] as (this: Context, ...args: never[]) => unknown
  Object.defineProperty(Context.prototype, name, {
    get(this: Context) {
      return method.bind(this)
    },
  })
}

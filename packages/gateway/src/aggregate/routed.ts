/** A client's request as the one server meets it that it is for: with that server's names, and with its words put into the client's. */
import type { LogLevel, Loss } from 'parley-mcp'
import type { Body, Caller, Duration, Inbound, RequestId, RequestOptions, Retry, Session } from 'parley-mcp/engine'
import type { Words } from './words.ts'

/** `only`: the rest of what the client said is not for the server. */
export type Changes = { readonly with: Body } | { readonly only: Body }

export class RoutedInbound implements Inbound {
  readonly method: string
  readonly params: Body
  /** Whether the gateway itself goes on working behind the answer. */
  lasts = false
  readonly #inbound: Inbound
  readonly #changes: Changes
  readonly #words: Words

  /** `method`: another one, where the server is asked something else for what the client wants. */
  constructor(inbound: Inbound, changes: Changes, words: Words, method = inbound.method) {
    this.#inbound = inbound
    this.method = method
    this.#changes = changes
    this.params = changed(inbound.params, changes)
    this.#words = words
  }

  get sent(): Body {
    return changed(this.#inbound.sent, this.#changes)
  }
  get id(): RequestId {
    return this.#inbound.id
  }
  get session(): Session {
    return this.#inbound.session
  }
  get caller(): Caller {
    return this.#inbound.caller
  }
  get principal(): string | undefined {
    return this.#inbound.principal
  }
  get address(): string | undefined {
    return this.#inbound.address
  }
  get logLevel(): LogLevel | undefined {
    return this.#inbound.logLevel
  }
  get retry(): Retry | undefined {
    // Answers that came with the request are answers to its own method.
    return this.method === this.#inbound.method ? this.#inbound.retry : undefined
  }
  get owner(): unknown {
    return this.#inbound.owner
  }
  get context(): Inbound['context'] {
    return this.#inbound.context
  }
  get onLoss(): Inbound['onLoss'] {
    return this.#inbound.onLoss
  }
  get signal(): AbortSignal {
    return this.#inbound.signal
  }
  get cancelled(): boolean {
    return this.#inbound.cancelled
  }

  onCancel(run: (reason: string) => void): () => void {
    return this.#inbound.onCancel(run)
  }

  progress(progress: number, total?: number, message?: string, more?: Body): void {
    this.#inbound.progress(progress, total, message, more && this.#words.told('notifications/progress', more))
  }

  notify(method: string, params?: Body): void {
    this.#inbound.notify(method, params === undefined ? undefined : this.#words.told(method, params))
  }

  release(retry?: Duration): void {
    this.#inbound.release(retry)
  }

  request(method: string, params?: Body, options?: RequestOptions): Promise<Body> {
    return this.#inbound.request(method, params === undefined ? undefined : this.#words.told(method, params), options)
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    // The outcome of a task is put into other words when it is asked for.
    return this.#inbound.written(this.lasts ? result : this.#words.result(this.method, result), onLoss)
  }

  keep(cost: number, what: string): () => void {
    return this.#inbound.keep(cost, what)
  }

  afterAnswer(run: () => void): void {
    this.lasts = true
    this.#inbound.afterAnswer(run)
  }
}

function changed(params: Body, changes: Changes): Body {
  return 'only' in changes ? changes.only : { ...params, ...changes.with }
}

/** Requests of a client in the stateless era: each one has an envelope that says who sends it, and in which version. */
import { ParleyError, type WireError } from '../../../../errors/index.ts'
import { type Body, isObject, type SendOptions } from '../../../../jsonrpc/index.ts'
import { encodeHeader, extensionMethods, HEADERS, type LogLevel } from '../../../../protocol/index.ts'
import { type HeaderParam, headersFor, type ProtocolVersion } from '../../../../versions/index.ts'
import type { SessionCore } from '../../../core.ts'
import type { Pending } from '../../../outgoing/pending.ts'
import { shown } from '../../../outgoing/request-errors.ts'
import type { ListenFilter, ListenOptions, ListenRequest } from '../../../session-view.ts'
import { NO_HEADERS, type RequestHost, type SessionEra } from '../../era.ts'
import { cancelWithNotification } from '../../handshake/era.ts'
import { ClientEnvelope } from './envelope.ts'
import { ListenRequests } from './listen-requests.ts'
import { mend } from './mending.ts'
import { isComplete, unframed } from './result.ts'
import { Rounds } from './rounds.ts'

export class StatelessEra implements SessionEra {
  readonly version: ProtocolVersion
  readonly #core: SessionCore
  readonly #host: RequestHost
  readonly #envelope: ClientEnvelope
  #listenRequests: ListenRequests | undefined
  #rounds: Rounds | undefined

  constructor(core: SessionCore, host: RequestHost, version: ProtocolVersion) {
    this.version = version
    this.#core = core
    this.#host = host
    this.#envelope = new ClientEnvelope(version, core.self)
  }

  get name(): 'stateless' {
    return 'stateless'
  }
  get pingMethod(): string {
    return 'server/discover'
  }
  get isStateful(): boolean {
    return false
  }
  get logLevel(): LogLevel | undefined {
    return this.#envelope.logLevel
  }
  set logLevel(level: LogLevel | undefined) {
    this.#envelope.logLevel = level
  }

  isExtensionMethod(method: string): boolean {
    return extensionMethods.has(method)
  }

  listen(filter: ListenFilter, options: ListenOptions): ListenRequest {
    this.#listenRequests ??= new ListenRequests(this.#core, this.#host)
    return this.#listenRequests.begin(filter, options)
  }

  notified(method: string, params: Body): Body | undefined {
    this.#listenRequests ??= new ListenRequests(this.#core, this.#host)
    return this.#listenRequests.hear(method, params)
  }

  notificationOptions(method: string, options: SendOptions | undefined): SendOptions | undefined {
    if (this.#core.link.mirrors !== true) return options
    return { ...options, headers: { [HEADERS.version]: this.version, [HEADERS.method]: encodeHeader(method) } }
  }

  headerParams({ method, params }: Pending): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    const { link, endpoint } = this.#core
    if (method !== 'tools/call' || link.mirrors !== true) return NO_HEADERS
    const name = params?.['name']
    return (typeof name === 'string' ? endpoint.headerParams?.(name) : undefined) ?? NO_HEADERS
  }

  requestText(pending: Pending, params: Body | undefined, progressToken: number | undefined): string {
    const { id, method, options, extra } = pending
    if (options?.relayed === true) return this.#envelope.relayedText(id, method, params, progressToken, options.write)
    const all = extra === undefined ? params : { ...params, ...extra }
    return this.#envelope.requestText(id, method, all, progressToken, options?.write)
  }

  sendOptions({ method, params, options }: Pending, headerParams: readonly HeaderParam[]): SendOptions | undefined {
    if (this.#core.link.mirrors !== true)
      return options?.relatedTo === undefined ? undefined : { relatedTo: options.relatedTo }
    const headers = this.#envelope.headers(method, params)
    const args = params?.['arguments']
    return {
      headers: headerParams.length > 0 && isObject(args) ? { ...headers, ...headersFor(headerParams, args) } : headers,
    }
  }

  result(pending: Pending, result: Body): Body | undefined {
    if (pending.route === undefined || pending.options?.relayed === true) return result
    if (isComplete(result)) return unframed(result)
    this.#incomplete(pending, result)
    return undefined
  }

  /** The server asks questions, has made a task of the request, or answers with something unknown. */
  #incomplete(pending: Pending, result: Body): void {
    const type = result['resultType']
    if (type === 'input_required') {
      this.#rounds ??= new Rounds(this.#core, this.#host)
      return this.#rounds.begin(pending, result)
    }
    const onTask = pending.options?.onTask
    if (type === 'task' && onTask !== undefined) return this.#host.settle(pending, () => onTask(result))
    const message = `${pending.method} was answered with a result of type ${shown(type)}`
    this.#host.fail(pending, new ParleyError('invalid_answer', { message }))
  }

  repair(pending: Pending, error: WireError): boolean {
    return pending.route !== undefined && mend(this.#core, this.#host, pending, error, this.version)
  }

  endOfSession(_pending: Pending, error: ParleyError): ParleyError | undefined {
    return error.kind === 'shutting_down' && this.#core.link.mirrors !== true ? error : undefined
  }

  /** Where a client can close the stream of one request, that cancels the request. */
  cancel(pending: Pending, error: ParleyError): void {
    const { link } = this.#core
    if (link.withdraw === undefined) cancelWithNotification(this.#core, pending, error)
    else link.withdraw(pending.id)
  }
}

/** The envelope of each request of a client since 2026-07-28. Its text is written once (D-01, D-60). */
import { ParleyError } from '../../../../errors/index.ts'
import { type Body, isObject, paramsText, type WriteParams } from '../../../../jsonrpc/index.ts'
import { encodeHeader, HEADERS, type LogLevel, namedBy } from '../../../../protocol/index.ts'
import { clientCapabilitiesUp, META, type ProtocolVersion } from '../../../../versions/index.ts'
import type { Introduction } from '../../../endpoint.ts'

const BRACE = '{'.charCodeAt(0)

export class ClientEnvelope {
  readonly version: ProtocolVersion
  readonly #identity: Body
  #logLevel: LogLevel | undefined
  /** The members of `_meta`, with the brace before them but not the one behind. */
  #opening = ''

  constructor(version: ProtocolVersion, self: Introduction) {
    this.version = version
    this.#identity = {
      [META.version]: version,
      [META.clientInfo]: self.info,
      [META.clientCapabilities]: clientCapabilitiesUp(self.capabilities),
    }
    this.#write()
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel
  }

  set logLevel(level: LogLevel | undefined) {
    this.#logLevel = level
    this.#write()
  }

  requestText(
    id: number,
    method: string,
    params: Body | undefined,
    progressToken: number | undefined,
    write?: WriteParams,
  ): string {
    return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${this.#paramsText(params, progressToken, write)}}`
  }

  /** A request with its own `_meta`. Only the version is that of this session. */
  relayedText(
    id: number,
    method: string,
    params: Body | undefined,
    progressToken: number | undefined,
    write: WriteParams = paramsText,
  ): string {
    const given = params?.['_meta']
    const _meta: Body = { ...this.#identity, ...(isObject(given) ? given : undefined), [META.version]: this.version }
    if (progressToken === undefined) delete _meta['progressToken']
    else _meta['progressToken'] = progressToken
    return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${write({ ...params, _meta })}}`
  }

  /** The headers that repeat parts of the message. */
  headers(method: string, params: Body | undefined): Record<string, string> {
    const headers: Record<string, string> = { [HEADERS.version]: this.version, [HEADERS.method]: encodeHeader(method) }
    const by = namedBy(method)
    const name = by === undefined ? undefined : params?.[by]
    if (typeof name === 'string') headers[HEADERS.name] = encodeHeader(name)
    return headers
  }

  #paramsText(params: Body | undefined, progressToken: number | undefined, write: WriteParams = paramsText): string {
    if (params?.['_meta'] !== undefined)
      return write({ ...params, _meta: this.#merged(params['_meta'], progressToken) })
    const meta =
      progressToken === undefined ? `${this.#opening}}` : `${this.#opening},"progressToken":${progressToken}}`
    if (params === undefined) return `{"_meta":${meta}}`
    const own = write(params)
    if (own.charCodeAt(0) !== BRACE)
      throw new ParleyError('invalid_params', { message: 'The parameters are not written as a JSON object' })
    return own === '{}' ? `{"_meta":${meta}}` : `{"_meta":${meta},${own.slice(1)}`
  }

  /** Each request may have its own log level. Identity and capabilities are always those of this client. */
  #merged(given: unknown, progressToken: number | undefined): Body {
    const level = this.#logLevel === undefined ? undefined : { [META.logLevel]: this.#logLevel }
    const token = progressToken === undefined ? undefined : { progressToken }
    return { ...level, ...(isObject(given) ? given : undefined), ...this.#identity, ...token }
  }

  #write(): void {
    const level = this.#logLevel === undefined ? undefined : { [META.logLevel]: this.#logLevel }
    this.#opening = JSON.stringify({ ...this.#identity, ...level }).slice(0, -1)
  }
}

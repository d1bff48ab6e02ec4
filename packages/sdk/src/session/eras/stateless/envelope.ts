/** Reads and checks the `_meta` of a request of the stateless era (D-01). */
import { ParleyError } from '../../../errors/index.ts'
import { type Body, type FrameOrigin, isObject, type RequestMessage } from '../../../jsonrpc/index.ts'
import { type Capabilities, HEADERS, type LogLevel, logLevels } from '../../../protocol/index.ts'
import { eraOf, isVersion, META, type ProtocolVersion, unsupportedVersion } from '../../../versions/index.ts'

export interface Envelope {
  readonly version: ProtocolVersion
  readonly capabilities: Capabilities
  readonly info: Body | undefined
  readonly logLevel: LogLevel | undefined
  readonly meta: Body
}

/** Whether a request has an envelope. A request without one needs a session. */
export function hasEnvelope(message: { readonly params?: Body }): boolean {
  const meta = message.params?.['_meta']
  return typeof meta === 'object' && meta !== null && Object.hasOwn(meta, META.version)
}

/** The envelope, or the error. A header that contradicts the envelope comes first: it has misled routing. */
export function readEnvelope(
  message: RequestMessage,
  origin: FrameOrigin | undefined,
  served: readonly ProtocolVersion[],
): Envelope | ParleyError {
  const given = message.params?.['_meta']
  const meta = isObject(given) ? given : {}
  const version = meta[META.version]
  const objection = origin?.header === undefined ? undefined : versionObjection(origin.header(HEADERS.version), version)
  if (objection !== undefined) return new ParleyError('header_mismatch', { message: objection })
  if (typeof version !== 'string') {
    if (message.method === 'initialize' && served.every(isStateless))
      return noHandshake(message.params?.['protocolVersion'], served)
    return incomplete(META.version, 'the protocol version of this request, such as "2026-07-28"')
  }
  if (!isVersion(version) || !served.includes(version)) return unsupportedVersion(version, [...served].reverse())
  if (!isStateless(version)) return needsHandshake(version, served)
  const capabilities = meta[META.clientCapabilities]
  if (!isObject(capabilities)) return incomplete(META.clientCapabilities, 'an object, which may be empty')
  const logLevel = meta[META.logLevel]
  if (logLevel !== undefined && !(logLevels as readonly unknown[]).includes(logLevel)) {
    return new ParleyError('invalid_log_level', {
      message: `Invalid log level in _meta["${META.logLevel}"]: use one of ${logLevels.join(', ')}`,
    })
  }
  const info = meta[META.clientInfo]
  return {
    version,
    capabilities,
    info: isObject(info) ? info : undefined,
    logLevel: logLevel as LogLevel | undefined,
    meta,
  }
}

function isStateless(version: ProtocolVersion): boolean {
  return eraOf(version) === 'stateless'
}

/** D-67: a client that begins with a handshake has nothing else to try. Its user may see only this message. */
function noHandshake(requested: unknown, served: readonly ProtocolVersion[]): ParleyError {
  const { data } = unsupportedVersion(requested, [...served].reverse())
  const message = `Unsupported protocol version: the versions of this server have no handshake; supported: ${served.join(', ')}`
  return new ParleyError('unsupported_protocol_version', { message, data })
}

/** The server speaks the version, but only after a handshake. */
function needsHandshake(version: ProtocolVersion, served: readonly ProtocolVersion[]): ParleyError {
  const { data } = unsupportedVersion(version, [...served].reverse())
  const message = `Unsupported protocol version: ${version} begins with initialize, its requests do not say a version; supported: ${served.join(', ')}`
  return new ParleyError('unsupported_protocol_version', { message, data })
}

function versionObjection(header: string | undefined, version: unknown): string | undefined {
  if (header === version) return undefined
  if (header === undefined) return 'Header MCP-Protocol-Version is missing'
  // Without a version in the body there is no contradiction. The error for the missing version follows.
  if (typeof version !== 'string') return undefined
  return `MCP-Protocol-Version is ${shown(header)}, but the request says ${shown(version)}`
}

function incomplete(name: string, what: string): ParleyError {
  return new ParleyError('request_metadata_missing', {
    message: `params._meta["${name}"] is missing: ${what}`,
    data: { missing: name },
  })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

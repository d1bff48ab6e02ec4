/** The `initialize` exchange as values: the request, the answer, and the agreement. */
import { ParleyError } from '../../../errors/index.ts'
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import type { Capabilities } from '../../../protocol/index.ts'
import {
  capabilitiesDown,
  clientCapabilitiesIn,
  type HandshakeVersion,
  handshakeVersions,
  isVerdict,
  isVersion,
  type Loss,
  negotiate,
  newestVersion,
  type Part,
  type Profile,
  type ProtocolVersion,
  plan,
  type TranslationContext,
  unsupportedVersion,
} from '../../../versions/index.ts'
import type { Identity, Introduction } from '../../endpoint.ts'

export interface Agreement {
  readonly version: HandshakeVersion
  readonly peer: Introduction
}

/** The agreement, and the parts of the request that the version cannot have. */
export interface InitializeRequest extends Agreement {
  readonly requested: string
  readonly losses: readonly Loss[]
}

/** Reads `initialize` on the server. Throws, and changes nothing, when it cannot be accepted. */
export function readInitialize(
  params: Body | undefined,
  supported: readonly ProtocolVersion[],
  profile: Profile,
): InitializeRequest {
  const requested = params?.['protocolVersion']
  const version = negotiate(requested, supported)
  for (const key of ['capabilities', 'clientInfo']) {
    if (!isObject(params?.[key]))
      throw new ParleyError('invalid_params', { message: `initialize needs an object "${key}"` })
  }
  const losses: Loss[] = []
  const capabilities = clientCapabilitiesIn(version, params?.['capabilities'] as Capabilities, (loss) =>
    losses.push(loss),
  )
  const translated = translate(version, newestVersion, 'params', { ...params, capabilities }, profile, {})
  return { version, requested: requested as string, peer: introduction(translated, 'clientInfo'), losses }
}

/** What a server answers to `initialize`. */
export function initializeResult(
  version: HandshakeVersion,
  self: Introduction,
  profile: Profile,
  context: TranslationContext,
): Body {
  const result: Body = { protocolVersion: version, capabilities: own(self), serverInfo: self.info }
  if (self.instructions !== undefined) result['instructions'] = self.instructions
  return translate(newestVersion, version, 'result', result, profile, context)
}

/** The params of `initialize`, for the newest handshake version that this side speaks. */
export function initializeParams(
  supported: readonly ProtocolVersion[],
  self: Introduction,
  profile: Profile,
  context: TranslationContext,
): Body {
  const offered = handshakeVersions.filter((version) => supported.includes(version))
  const version = offered[offered.length - 1]
  if (version === undefined) throw unsupportedVersion('none', supported)
  const params: Body = { protocolVersion: version, capabilities: own(self), clientInfo: self.info }
  return translate(newestVersion, version, 'params', params, profile, context)
}

/** Capabilities for both eras are declared together. Leaving out those of the other era is no loss. */
function own({ capabilities }: Introduction): Body {
  return capabilitiesDown(capabilities)
}

/** Reads the answer on the client. Throws an error with the versions of both sides when there is no common one. */
export function readInitializeResult(result: Body, supported: readonly ProtocolVersion[], profile: Profile): Agreement {
  const version = result['protocolVersion']
  const offered: readonly ProtocolVersion[] = handshakeVersions.filter((candidate) => supported.includes(candidate))
  if (!isVersion(version) || !offered.includes(version)) throw noCommonVersion(version, offered, supported)
  if (!isObject(result['capabilities']))
    throw new ParleyError('invalid_answer', { message: 'The server answered initialize without capabilities' })
  const translated = translate(version, newestVersion, 'result', result, profile, {})
  return { version: version as HandshakeVersion, peer: introduction(translated, 'serverInfo') }
}

function noCommonVersion(
  answered: unknown,
  offered: readonly ProtocolVersion[],
  supported: readonly ProtocolVersion[],
): ParleyError {
  const named = typeof answered === 'string' ? answered.slice(0, 64) : undefined
  const said = named === undefined ? 'named no protocol version' : `speaks ${JSON.stringify(named)}`
  // This side speaks the version, but without a handshake.
  const speaks = supported.includes(named as ProtocolVersion)
    ? `${offered.join(', ')} with a handshake`
    : supported.join(', ')
  return new ParleyError('unsupported_protocol_version', {
    message: `No common protocol version: the server ${said}, this client speaks ${speaks}`,
    data: { ...(named === undefined ? {} : { server: named }), client: [...offered] },
  })
}

function translate(
  from: ProtocolVersion,
  to: ProtocolVersion,
  part: Part,
  value: Body | undefined,
  profile: Profile,
  context: TranslationContext,
): Body {
  const made = plan(from, to, 'initialize', part, { profile, scope: 'body' })
  const outcome = made === undefined ? value : made(value, context)
  if (!isVerdict(outcome)) return outcome ?? {}
  throw outcome.verdict === 'refuse' ? outcome.error : new ParleyError('translation_failed')
}

/** Frozen, because what was declared holds for the whole session. */
export function introduction(body: Body, infoKey: 'clientInfo' | 'serverInfo'): Introduction {
  const info = isObject(body[infoKey]) ? body[infoKey] : {}
  const identity: Identity = { ...info, name: textOr(info['name'], 'unknown'), version: textOr(info['version'], '0') }
  const capabilities = isObject(body['capabilities']) ? body['capabilities'] : {}
  const instructions = body['instructions']
  const made: Introduction = {
    info: identity,
    capabilities,
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
  return infoKey === 'clientInfo' ? shared(made) : deepFreeze(made)
}

/** Clients of one program introduce themselves with the same text: their sessions share one value. */
const introductions = new Map<string, Introduction>()
const MOST_SHARED = 256
const LONGEST_SHARED = 4096

function shared(made: Introduction): Introduction {
  const text = JSON.stringify(made)
  if (text.length > LONGEST_SHARED) return deepFreeze(made)
  const known = introductions.get(text)
  if (known !== undefined) return known
  if (introductions.size >= MOST_SHARED) introductions.delete(introductions.keys().next().value as string)
  introductions.set(text, deepFreeze(made))
  return made
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

function deepFreeze<T>(root: T): T {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) continue
    Object.freeze(value)
    open.push(...Object.values(value))
  }
  return root
}

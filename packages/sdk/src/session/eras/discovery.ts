/** Of which era a server is, judged by what it does with `server/discover` (V4, D-16, D-65). */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'

import {
  type Era,
  eraOf,
  extensionLosses,
  type Loss,
  META,
  type ProtocolVersion,
  serverCapabilitiesUp,
  versions,
} from '../../versions/index.ts'
import type { Introduction } from '../endpoint.ts'
import { introduction } from './handshake/initialize.ts'
import { HEADER_MISMATCH, MISSING_CAPABILITY, namedVersions, UNSUPPORTED_VERSION } from './stateless/client/refusal.ts'

export type DiscoveryOutcome =
  /** The server speaks a version without a handshake that this side speaks as well. */
  | {
      readonly type: 'agree'
      readonly version: ProtocolVersion
      readonly peer: Introduction
      readonly losses: readonly Loss[]
    }
  /** It is to be asked once more, in this version. */
  | { readonly type: 'again'; readonly version: ProtocolVersion }
  /** It is of the handshake era, or common versions are. */
  | { readonly type: 'handshake'; readonly because: string }
  /** Nothing that says anything about its era, or no common version. */
  | { readonly type: 'fail'; readonly error: unknown }

/** Of one era, oldest first. */
export function versionsIn(era: Era, speaks: readonly ProtocolVersion[]): readonly ProtocolVersion[] {
  return versions.filter((version) => speaks.includes(version) && eraOf(version) === era)
}

/** Reads the answer to `server/discover`. */
export function judgeAnswer(result: Body, speaks: readonly ProtocolVersion[]): DiscoveryOutcome {
  const supported = result['supportedVersions']
  if (!Array.isArray(supported))
    return { type: 'handshake', because: 'its answer to server/discover names no supportedVersions' }
  const version = newest(versionsIn('stateless', speaks), supported)
  if (version !== undefined) return { type: 'agree', version, peer: introductionIn(result), losses: lossesIn(result) }
  return namedOnly(supported, speaks)
}

/** Reads why there is no answer. `repeated`: it was asked before because of what it said to that. */
export function judgeError(error: unknown, speaks: readonly ProtocolVersion[], repeated: boolean): DiscoveryOutcome {
  if (!(error instanceof ParleyError)) return { type: 'fail', error }
  const code = error.receivedCode
  if (code === undefined) return judgeFailure(error)
  const named = namedVersions(code, error.data)
  if (named !== undefined) {
    // Some servers refuse the first request and name the very version it was made in.
    const version = repeated ? undefined : newest(versionsIn('stateless', speaks), named)
    return version === undefined ? namedOnly(named, speaks) : { type: 'again', version }
  }
  if (code === HEADER_MISMATCH || code === MISSING_CAPABILITY) return { type: 'fail', error }
  return {
    type: 'handshake',
    because: `it answered server/discover with the error ${code} ${JSON.stringify(error.message.slice(0, 200))}`,
  }
}

/** Statuses below 500 that say nothing about what the server would understand. */
const NO_EVIDENCE: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])

/** No message of the protocol came back. */
function judgeFailure(error: ParleyError): DiscoveryOutcome {
  if (error.kind === 'invalid_answer') return { type: 'handshake', because: error.message.slice(0, 300) }
  const status = error.kind === 'transport_error' ? error.data?.['status'] : undefined
  if (typeof status !== 'number' || status < 400 || status > 499 || NO_EVIDENCE.has(status))
    return { type: 'fail', error }
  return { type: 'handshake', because: error.message.slice(0, 300) }
}

/** The server names its versions, and none of the stateless era will do. */
function namedOnly(named: readonly unknown[], speaks: readonly ProtocolVersion[]): DiscoveryOutcome {
  if (newest(versionsIn('handshake', speaks), named) !== undefined)
    return { type: 'handshake', because: `it speaks ${listed(named)}` }
  return { type: 'fail', error: noCommonVersion(`speaks ${listed(named)}`, named, speaks) }
}

/** For a client that cannot do without the stateless era. */
export function tooOld(because: string, speaks: readonly ProtocolVersion[]): ParleyError {
  return noCommonVersion(`speaks only versions that begin with a handshake (${because})`, undefined, speaks)
}

function noCommonVersion(
  said: string,
  named: readonly unknown[] | undefined,
  speaks: readonly ProtocolVersion[],
): ParleyError {
  return new ParleyError('unsupported_protocol_version', {
    message: `No common protocol version: the server ${said}, this client speaks ${speaks.join(', ') || 'none'}`,
    data: { server: named === undefined ? 'handshake' : shortened(named), client: [...speaks] },
  })
}

/** What servers without a handshake say to one: they do not know the method, or miss what their requests say. */
const REFUSALS: ReadonlySet<number> = new Set([-32600, -32601, -32602, HEADER_MISMATCH, UNSUPPORTED_VERSION])

/** Whether a server has said no to the handshake itself: it may have become one of the other era. */
export function refusedHandshake(error: unknown): boolean {
  if (!(error instanceof ParleyError)) return false
  return error.receivedCode === undefined ? judgeFailure(error).type === 'handshake' : REFUSALS.has(error.receivedCode)
}

/**
 * The link ended while the server was asked for `server/discover`. Some servers do not survive a first request that they
 * do not know. They may be reached with the handshake, over a new link.
 */
export class LostInDiscovery extends ParleyError {
  constructor(message: string, cause: unknown) {
    super('connection_closed', { message, cause })
  }
}

function lossesIn({ capabilities }: Body): Loss[] {
  return isObject(capabilities) ? extensionLosses(capabilities, 'D-41', 'server/discover') : []
}

function introductionIn(result: Body): Introduction {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {}
  const { instructions, ttlMs, cacheScope } = result
  const introduced = introduction(
    {
      serverInfo: meta[META.serverInfo] ?? result['serverInfo'],
      capabilities: serverCapabilitiesUp(capabilities),
      instructions,
    },
    'serverInfo',
  )
  if (typeof ttlMs !== 'number' || !(ttlMs >= 0)) return introduced
  return Object.freeze({ ...introduced, ttlMs, cacheScope: cacheScope === 'public' ? 'public' : 'private' })
}

function newest(own: readonly ProtocolVersion[], named: readonly unknown[]): ProtocolVersion | undefined {
  return own.findLast((version) => named.includes(version))
}

const MOST_NAMED = 20

function shortened(named: readonly unknown[]): string[] {
  return named.slice(0, MOST_NAMED).map((each) => (typeof each === 'string' ? each.slice(0, 64) : typeof each))
}

function listed(named: readonly unknown[]): string {
  return shortened(named).join(', ') || 'no version'
}

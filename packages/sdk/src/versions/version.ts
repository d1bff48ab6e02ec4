/** The protocol versions, derived from the registered steps, and how two peers agree on one. */
import { ParleyError } from '../errors/index.ts'
import type { Era, Step } from './change.ts'
import * as registered from './steps/index.ts'

const OLDEST = '2024-11-05'

type RegisteredStep = (typeof registered)[keyof typeof registered]

/** Versions that open with `initialize`. */
export type HandshakeVersion = typeof OLDEST | Extract<RegisteredStep, { era: 'handshake' }>['to']
export type ProtocolVersion = typeof OLDEST | RegisteredStep['to']

type VersionStep = Step<ProtocolVersion> & { readonly from: ProtocolVersion }

/** All steps, oldest first. Versions are dates, so they sort as text. */
export const steps: readonly VersionStep[] = (Object.values(registered) as VersionStep[]).sort((one, other) =>
  one.to < other.to ? -1 : 1,
)

/** All versions, oldest first. */
export const versions: readonly [ProtocolVersion, ...ProtocolVersion[]] = [OLDEST, ...steps.map(({ to }) => to)]

/** Versions that open with `initialize`, oldest first. */
export const handshakeVersions = [
  OLDEST,
  ...steps.filter(({ era }) => era === 'handshake').map(({ to }) => to),
] as readonly HandshakeVersion[]

const firstStateless = versions[handshakeVersions.length] as ProtocolVersion

export const oldestVersion: ProtocolVersion = OLDEST
export const newestVersion = versions[versions.length - 1] as ProtocolVersion

/** The newest version a handshake can end with. */
export const newestHandshakeVersion = handshakeVersions[handshakeVersions.length - 1] as HandshakeVersion

export function eraOf(version: ProtocolVersion): Era {
  return version >= firstStateless ? 'stateless' : 'handshake'
}

export function isVersion(value: unknown): value is ProtocolVersion {
  return (versions as readonly unknown[]).includes(value)
}

/** Versions are dates. */
export function isVersionString(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(value)
}

/** True when `version` is `other` or later. */
export function isAtLeast(version: ProtocolVersion, other: ProtocolVersion): boolean {
  return version >= other
}

/** The error that names what was asked for and what there is. */
export function unsupportedVersion(requested: unknown, supported: readonly ProtocolVersion[]): ParleyError {
  const asked = typeof requested === 'string' ? requested.slice(0, 64) : typeof requested
  return new ParleyError('unsupported_protocol_version', {
    message: `Unsupported protocol version: ${JSON.stringify(asked)}; supported: ${supported.join(', ') || 'none'}`,
    data: { requested: asked, supported: [...supported] },
  })
}

/**
 * The version a server answers to `initialize`: the requested one if it serves it, else the newest handshake version it
 * serves. A malformed version, or a server without any handshake version, is refused.
 */
export function negotiate(requested: unknown, supported: readonly ProtocolVersion[] = versions): HandshakeVersion {
  const offered = handshakeVersions.filter((version) => supported.includes(version))
  const newest = offered[offered.length - 1]
  if (newest === undefined || !isVersionString(requested)) throw unsupportedVersion(requested, supported)
  return offered.find((version) => version === requested) ?? newest
}

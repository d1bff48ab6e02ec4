/** The protocol versions there are, oldest first, and how two peers agree on one. */
import { ParleyError } from '../errors/index.ts'

/** Versions that open with `initialize`, oldest first. */
export const handshakeVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

/** Versions whose requests carry everything themselves, oldest first. A new version is one more name here. */
export const statelessVersions = ['2026-07-28'] as const

export const versions = [...handshakeVersions, ...statelessVersions] as const

export type ProtocolVersion = (typeof versions)[number]
export type HandshakeVersion = (typeof handshakeVersions)[number]

/** `handshake` versions open with `initialize`; `stateless` ones carry everything on each request. */
export type Era = 'handshake' | 'stateless'

export const oldestVersion: ProtocolVersion = versions[0]
export const newestVersion: ProtocolVersion = versions[versions.length - 1] as ProtocolVersion

/** The newest version a handshake can end with. */
export const newestHandshakeVersion: HandshakeVersion = handshakeVersions[
  handshakeVersions.length - 1
] as HandshakeVersion

export function eraOf(version: ProtocolVersion): Era {
  return version >= statelessVersions[0] ? 'stateless' : 'handshake'
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

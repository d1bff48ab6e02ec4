/** The answer to `initialize` and the answer to `server/discover` say the same things in different places. */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { HandshakeVersion } from '../../protocol/index.ts'
import { capabilitiesDown, serverCapabilitiesUp } from './stateless-capabilities.ts'
import { META } from './stateless-envelope.ts'
import { STATELESS } from './stateless-methods.ts'

export interface DiscoveryPolicy {
  /** What the discovering client may choose from. */
  readonly supportedVersions?: readonly string[]
  readonly ttlMs?: number
  readonly cacheScope?: 'public' | 'private'
}

/** D-16: a `DiscoverResult` from the `InitializeResult` of a 2025-11-25 server; older answers are translated up to that version first. */
export function discoverFromInitialize(result: Body, policy: DiscoveryPolicy = {}): Body {
  const { protocolVersion, serverInfo, capabilities, _meta, ...rest } = result
  const meta: Body = { ...(isObject(_meta) ? _meta : {}), ...(isObject(serverInfo) ? { [META.serverInfo]: serverInfo } : {}) }
  return {
    ...rest,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    resultType: 'complete',
    supportedVersions: [...(policy.supportedVersions ?? [STATELESS])],
    capabilities: serverCapabilitiesUp(isObject(capabilities) ? capabilities : {}),
    ttlMs: policy.ttlMs ?? 0,
    cacheScope: policy.cacheScope ?? 'private',
  }
}

/** D-15: the `InitializeResult` in the form of 2025-11-25; `fallbackName` serves for a server that does not introduce itself. */
export function initializeFromDiscover(result: Body, version: HandshakeVersion, fallbackName = 'unknown'): Body {
  const { resultType, supportedVersions, ttlMs, cacheScope, capabilities, _meta, ...rest } = result
  const { [META.serverInfo]: introduced, ...meta } = isObject(_meta) ? _meta : ({} as Body)
  return {
    ...rest,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    protocolVersion: version,
    capabilities: capabilitiesDown(isObject(capabilities) ? capabilities : {}),
    serverInfo: isObject(introduced) ? introduced : { name: fallbackName, version: '0' },
  }
}

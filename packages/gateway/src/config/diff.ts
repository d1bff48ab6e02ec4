/** The differences between two configurations. A reload changes nothing else. */
import { isDeepStrictEqual } from 'node:util'
import type { GatewayConfig, GatewaySettings, ServerConfig } from './types.ts'

export interface ConfigDiff {
  /** Names of servers. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  readonly kept: readonly string[]
  /** Servers of `kept` with another rate limit, which the gateway changes while they run. */
  readonly relimited: readonly string[]
  /** Whether the remaining servers have another order. If several servers offer one URI, the first one serves it. */
  readonly reordered: boolean
  /** Keys of the gateway's own settings that changed. */
  readonly gatewayChanged: readonly (keyof GatewaySettings)[]
}

export function diffConfig(before: GatewayConfig, after: GatewayConfig): ConfigDiff {
  const names = [...after.servers.keys()]
  const common = names.filter((name) => before.servers.has(name))
  const commonBefore = [...before.servers.keys()].filter((name) => after.servers.has(name))
  const isKept = (name: string): boolean =>
    isDeepStrictEqual(unlimited(before.servers.get(name)), unlimited(after.servers.get(name)))
  const isRelimited = (name: string): boolean =>
    !isDeepStrictEqual(before.servers.get(name)?.rateLimit, after.servers.get(name)?.rateLimit)
  return {
    added: names.filter((name) => !before.servers.has(name)),
    removed: [...before.servers.keys()].filter((name) => !after.servers.has(name)),
    changed: common.filter((name) => !isKept(name)),
    kept: common.filter(isKept),
    relimited: common.filter((name) => isKept(name) && isRelimited(name)),
    reordered: !isDeepStrictEqual(commonBefore, common),
    gatewayChanged: changedSettings(before.gateway, after.gateway),
  }
}

function unlimited(server: ServerConfig | undefined): ServerConfig | undefined {
  return server && { ...server, rateLimit: undefined }
}

/** Compares the order of the servers as well, because clients of all servers see it. */
export function isSameConfig(one: GatewayConfig, other: GatewayConfig): boolean {
  return isDeepStrictEqual(one, other) && isDeepStrictEqual([...one.servers.keys()], [...other.servers.keys()])
}

export function changedSettings(before: GatewaySettings, after: GatewaySettings): (keyof GatewaySettings)[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof GatewaySettings>
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]))
}

/**
 * What a client can have declared in its version: of what only others give a meaning to, it has promised nothing (C2).
 */
import { type Capabilities, splitPath } from '../protocol/index.ts'
import { capabilitiesOf } from './methods.ts'
import type { Loss } from './operation.ts'
import { type ProtocolVersion, versions } from './version.ts'

/** D-40: older handshakes show them as well; they leave open what else there may be. */
const ANYWHERE: ReadonlySet<string> = new Set(['extensions'])

/** By capability, the parts of it that a version has a meaning for. */
type Known = ReadonlyMap<string, readonly string[]>

const known: ReadonlyMap<ProtocolVersion, Known> = new Map(versions.map((version) => [version, knownIn(version)]))
const knownSomewhere: Known = merged([...known.values()])

/** Names that no version knows stay: they are extensions. */
export function clientCapabilitiesIn(
  version: ProtocolVersion,
  capabilities: Capabilities,
  onLoss: (loss: Loss) => void,
): Capabilities {
  const own = known.get(version) as Known
  const lose = (path: string): void => onLoss(lossOf(version, path))
  const kept = Object.entries(capabilities).flatMap(([name, value]): [string, unknown][] => {
    const parts = own.get(name)
    if (parts !== undefined) {
      const foreign = (knownSomewhere.get(name) ?? []).filter((part) => !parts.includes(part))
      return [[name, without(value, foreign, (part) => lose(`${name}.${part}`))]]
    }
    if (ANYWHERE.has(name) || !knownSomewhere.has(name)) return [[name, value]]
    lose(name)
    return []
  })
  return Object.fromEntries(kept)
}

function lossOf(version: ProtocolVersion, path: string): Loss {
  const detail = `The client declared ${path}, which protocol version ${version} does not have: it is not counted on`
  return { rule: 'B-13', method: 'initialize', path: `capabilities.${path}`, severity: 'i', detail }
}

function knownIn(version: ProtocolVersion): Known {
  const own = capabilitiesOf(version).map(({ path, flags = [] }) => ({ ...splitPath(path), flags }))
  return new Map(own.filter(({ side }) => side === 'client').map(({ key, flags }) => [key, flags]))
}

function merged(all: readonly Known[]): Known {
  const together = new Map<string, string[]>()
  for (const each of all)
    for (const [name, parts] of each) together.set(name, [...(together.get(name) ?? []), ...parts])
  return together
}

function without(value: unknown, parts: readonly string[], lose: (part: string) => void): unknown {
  if (parts.length === 0 || typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([part]) => {
    const isForeign = parts.includes(part)
    if (isForeign) lose(part)
    return !isForeign
  })
  return Object.fromEntries(kept)
}

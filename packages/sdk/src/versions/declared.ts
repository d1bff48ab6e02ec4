/** What a client can have declared in its version: of what only others give a meaning to, it has promised nothing (C2). */
import { type Capabilities, type ProtocolVersion, splitPath, versions } from '../protocol/index.ts'
import { capabilitiesOf } from './methods.ts'

/** D-40: older handshakes show them as well; they leave open what else there may be. */
const ANYWHERE: ReadonlySet<string> = new Set(['extensions'])

/** By capability, the parts of it that a version has a meaning for. */
type Known = ReadonlyMap<string, readonly string[]>

const known: ReadonlyMap<ProtocolVersion, Known> = new Map(versions.map((version) => [version, knownIn(version)]))
const knownSomewhere: Known = merged([...known.values()])

/** Names that no version knows are somebody else's, and stay. */
export function clientCapabilitiesIn(version: ProtocolVersion, capabilities: Capabilities): Capabilities {
  const own = known.get(version) as Known
  const kept = Object.entries(capabilities).flatMap(([name, value]): [string, unknown][] => {
    const parts = own.get(name)
    if (parts === undefined) return ANYWHERE.has(name) || !knownSomewhere.has(name) ? [[name, value]] : []
    const foreign = (knownSomewhere.get(name) ?? []).filter((part) => !parts.includes(part))
    return [[name, without(value, foreign)]]
  })
  return Object.fromEntries(kept)
}

function knownIn(version: ProtocolVersion): Known {
  const own = capabilitiesOf(version).map(({ path, flags = [] }) => ({ ...splitPath(path), flags }))
  return new Map(own.filter(({ side }) => side === 'client').map(({ key, flags }) => [key, flags]))
}

function merged(all: readonly Known[]): Known {
  const together = new Map<string, string[]>()
  for (const each of all) for (const [name, parts] of each) together.set(name, [...(together.get(name) ?? []), ...parts])
  return together
}

function without(value: unknown, parts: readonly string[]): unknown {
  if (parts.length === 0 || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([part]) => !parts.includes(part)))
}

/** What a client can be asked, in a normal form: sessions of the handshake era fix it once, requests of the stateless era say it each time (8.2). */
import type { Capabilities } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

export interface Profile {
  /** Equal for clients that can be asked the same things. */
  readonly key: string
  readonly capabilities: Capabilities
}

export const EMPTY_PROFILE: Profile = { key: '', capabilities: {} }

/** By capability, the parts that matter for what a server may ask. */
const PARTS: Readonly<Record<string, readonly string[]>> = { elicitation: ['form', 'url'], roots: [], sampling: ['context', 'tools'] }

/** Every request of the stateless era is asked for its own, and there are only so many: each is made once. */
const profiles = new Map<number, Profile>()

export function profileOf(capabilities: Capabilities): Profile {
  const marks = marksOf(capabilities)
  let profile = profiles.get(marks)
  if (profile === undefined) {
    profile = made(capabilities)
    profiles.set(marks, profile)
  }
  return profile
}

/** A bit for each capability and each of its parts that matters. */
function marksOf(capabilities: Capabilities): number {
  let marks = 0
  for (const name in PARTS) {
    const declared = (capabilities as Record<string, unknown>)[name]
    marks = (marks << 1) | (isObject(declared) ? 1 : 0)
    for (const part of PARTS[name] as readonly string[]) marks = (marks << 1) | (isObject(declared) && isObject(declared[part]) ? 1 : 0)
  }
  return marks
}

function made(capabilities: Capabilities): Profile {
  const normal: Record<string, Record<string, unknown>> = {}
  const key: string[] = []
  for (const [name, parts] of Object.entries(PARTS)) {
    const declared = (capabilities as Record<string, unknown>)[name]
    if (!isObject(declared)) continue
    const kept = parts.filter((part) => isObject(declared[part]))
    // Declared without any mode, it means forms.
    const named = name === 'elicitation' && kept.length === 0 ? ['form'] : kept
    normal[name] = Object.fromEntries(named.map((part) => [part, {}]))
    // Roots are asked for again when the gateway says that they have changed.
    if (name === 'roots') normal[name] = { listChanged: true }
    key.push(`${name}(${named.join()})`)
  }
  return key.length === 0 ? EMPTY_PROFILE : { key: key.join(' '), capabilities: normal as Capabilities }
}

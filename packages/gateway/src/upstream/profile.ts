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

export function profileOf(capabilities: Capabilities): Profile {
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

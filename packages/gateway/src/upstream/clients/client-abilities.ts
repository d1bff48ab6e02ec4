/**
 * The capabilities of a client that matter to a server, in a normal form. A session of the handshake era declares them
 * once, and a request of the stateless era each time.
 */
import type { Capabilities } from 'parley-mcp'
import { canonicalJson, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'
import { sha256 } from '../../catalogue/index.ts'
import { VIA_KEY } from './via.ts'

export interface ClientAbilities {
  /** Equal for clients that can be asked the same and declare the same extensions. */
  readonly key: string
  readonly capabilities: Capabilities
  /** Whether a server may ask the client anything. */
  readonly isAskable: boolean
  /** Only the extensions and experimental capabilities. A server may choose by them what it lists. */
  readonly declaration: ClientAbilities
}

export const NO_ABILITIES: ClientAbilities = {
  key: '',
  capabilities: {},
  isAskable: false,
  get declaration() {
    return NO_ABILITIES
  },
}

/** For each capability, the parts that decide what a server may ask. */
const ASKABLE_PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  roots: [],
  sampling: ['context', 'tools'],
}

/** The names that the gateway itself uses in these capabilities. They say nothing about the client. */
const OWN_NAMES: Readonly<Record<string, string>> = { experimental: VIA_KEY, extensions: TASKS_EXTENSION }

/** A longer key is replaced by its digest. */
const MAX_KEY_LENGTH = 200

/** Every request of the stateless era needs its abilities. Few combinations exist, so each object is made once. */
const askables = new Map<number, ClientAbilities>()

export function abilitiesOf(capabilities: Capabilities): ClientAbilities {
  const askable = askableIn(capabilities)
  const declaration = declarationIn(capabilities)
  if (declaration === NO_ABILITIES) return askable
  if (!askable.isAskable) return declaration
  return {
    key: `${askable.key} ${declaration.key}`,
    capabilities: { ...askable.capabilities, ...declaration.capabilities },
    isAskable: true,
    declaration,
  }
}

function askableIn(capabilities: Capabilities): ClientAbilities {
  const bits = bitsOf(capabilities)
  let abilities = askables.get(bits)
  if (abilities === undefined) {
    abilities = normalised(capabilities)
    askables.set(bits, abilities)
  }
  return abilities
}

/** Most clients declare none of these, so this must be cheap for them. */
function declarationIn(capabilities: Capabilities): ClientAbilities {
  let declared: Record<string, unknown> | undefined
  for (const kind in OWN_NAMES) {
    const given = (capabilities as Record<string, unknown>)[kind]
    const own = OWN_NAMES[kind] as string
    if (!isObject(given) || !hasOther(given, own)) continue
    const { [own]: _, ...names } = given
    declared = { ...declared, [kind]: names }
  }
  if (declared === undefined) return NO_ABILITIES
  const text = canonicalJson(declared)
  const key = text.length > MAX_KEY_LENGTH ? Buffer.from(sha256(text)).toString('base64url') : text
  const abilities: ClientAbilities = {
    key,
    capabilities: declared as Capabilities,
    isAskable: false,
    get declaration() {
      return abilities
    },
  }
  return abilities
}

function hasOther(names: Readonly<Record<string, unknown>>, own: string): boolean {
  for (const name in names) if (name !== own) return true
  return false
}

/** One bit for each capability and each of its parts. */
function bitsOf(capabilities: Capabilities): number {
  let bits = 0
  for (const name in ASKABLE_PARTS) {
    const declared = (capabilities as Record<string, unknown>)[name]
    bits = (bits << 1) | (isObject(declared) ? 1 : 0)
    for (const part of ASKABLE_PARTS[name] as readonly string[])
      bits = (bits << 1) | (isObject(declared) && isObject(declared[part]) ? 1 : 0)
  }
  return bits
}

function normalised(capabilities: Capabilities): ClientAbilities {
  const normal: Record<string, Record<string, unknown>> = {}
  const key: string[] = []
  for (const [name, parts] of Object.entries(ASKABLE_PARTS)) {
    const declared = (capabilities as Record<string, unknown>)[name]
    if (!isObject(declared)) continue
    const declaredParts = parts.filter((part) => isObject(declared[part]))
    // Elicitation without a mode means forms.
    const named = name === 'elicitation' && declaredParts.length === 0 ? ['form'] : declaredParts
    normal[name] = Object.fromEntries(named.map((part) => [part, {}]))
    // The gateway notifies the server when roots have changed.
    if (name === 'roots') normal[name] = { listChanged: true }
    key.push(`${name}(${named.join()})`)
  }
  if (key.length === 0) return NO_ABILITIES
  return { key: key.join(' '), capabilities: normal as Capabilities, isAskable: true, declaration: NO_ABILITIES }
}

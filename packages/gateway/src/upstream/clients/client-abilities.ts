/**
 * What a client declares that matters to a server, in a normal form: sessions of the handshake era fix it once,
 * requests of the stateless era say it each time (8.2).
 */
import type { Capabilities } from 'parley-mcp'
import { canonicalJson, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'
import { sha256 } from '../../catalogue/index.ts'
import { VIA_KEY } from './via.ts'

export interface ClientAbilities {
  /** Equal for clients that can be asked the same things and declare the same extensions. */
  readonly key: string
  readonly capabilities: Capabilities
  /** Whether a server may ask such a client anything. */
  readonly isAskable: boolean
  /**
   * The same without what it can be asked: extensions and experimental capabilities, by which servers choose what they
   * list.
   */
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

/** By capability, the parts that matter for what a server may ask. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  roots: [],
  sampling: ['context', 'tools'],
}

/**
 * By capability that lists names: those that are between the gateway and one of its sides, and say nothing of the
 * client behind it.
 */
const OWN_NAMES: Readonly<Record<string, string>> = { experimental: VIA_KEY, extensions: TASKS_EXTENSION }

/** Longer ones are known by their digest. */
const LONGEST_KEY = 200

/** Every request of the stateless era is asked for its own, and there are only so many: each is made once. */
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
  const marks = marksOf(capabilities)
  let abilities = askables.get(marks)
  if (abilities === undefined) {
    abilities = made(capabilities)
    askables.set(marks, abilities)
  }
  return abilities
}

/** Nearly every client declares nothing of the kind, and costs nothing here. */
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
  const key = text.length > LONGEST_KEY ? Buffer.from(sha256(text)).toString('base64url') : text
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

/** A bit for each capability and each of its parts that matters. */
function marksOf(capabilities: Capabilities): number {
  let marks = 0
  for (const name in PARTS) {
    const declared = (capabilities as Record<string, unknown>)[name]
    marks = (marks << 1) | (isObject(declared) ? 1 : 0)
    for (const part of PARTS[name] as readonly string[])
      marks = (marks << 1) | (isObject(declared) && isObject(declared[part]) ? 1 : 0)
  }
  return marks
}

function made(capabilities: Capabilities): ClientAbilities {
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
  if (key.length === 0) return NO_ABILITIES
  return { key: key.join(' '), capabilities: normal as Capabilities, isAskable: true, declaration: NO_ABILITIES }
}

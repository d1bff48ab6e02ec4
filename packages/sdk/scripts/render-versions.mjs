/** `docs/versions.md` from the tables that guard every session. */
import { code, table } from './markdown.mjs'

const INTRODUCTION = `# Versions

Parley speaks every released version of the Model Context Protocol. These tables are the ones its sessions check each message against: a method
that is not in the column of the negotiated version is answered with \`method_not_found\`, one whose capability was not declared with
\`capability_not_supported\`. *Needs* names that capability; it counts from the version that introduced it.`

const NEW_VERSION = `## Add a version

A new version is one step file and one line:

1. Write \`packages/sdk/src/versions/steps/<version>/step.ts\`. It names the version before it, its era, its rules and its changes.
2. Add \`export { step as to<version> } from './<version>/step.ts'\` to \`packages/sdk/src/versions/steps/index.ts\`.

The list of versions, the type \`ProtocolVersion\`, the tables on this page, the plans and the documents follow from the list of steps.
\`test/sixth-version\` adds a version in this way and runs the laws of translation, the checks of sessions and a gateway with it.`

const DIRECTIONS = {
  client: 'client → server',
  server: 'server → client',
  both: 'both ways',
  embedded: 'inside a result',
}
const ERAS = {
  handshake: 'opens with `initialize`, keeps a session',
  stateless: 'no handshake; each request carries version, client and capabilities',
}
const ABSENT = '·'

export function renderVersions({ versions, eraOf, methodsOf, capabilitiesOf, features }) {
  const perVersion = (list, key) => versions.map((version) => new Map(list(version).map((item) => [key(item), item])))
  const methods = perVersion(methodsOf, (method) => method.name)
  const capabilities = perVersion(capabilitiesOf, (capability) => capability.path)
  const featureSets = perVersion(features, (feature) => feature)
  return `${[
    INTRODUCTION,
    table(
      ['version', 'era'],
      versions.map((version) => [version, `${eraOf(version)}: ${ERAS[eraOf(version)]}`]),
    ),
    '## Requests',
    methodTable(versions, methods, 'request'),
    '## Notifications',
    methodTable(versions, methods, 'notification'),
    '## Capabilities',
    'What a side declares, and the flags inside it that a version gives a meaning.',
    capabilityTable(versions, capabilities),
    '## Features',
    'The names `supports(version, feature)` knows.',
    table(
      ['feature', ...versions],
      names(featureSets).map((feature) => [feature, ...featureSets.map((set) => (set.has(feature) ? 'yes' : ABSENT))]),
    ),
    NEW_VERSION,
  ].join('\n\n')}\n`
}

function methodTable(versions, inventories, kind) {
  const rows = names(inventories).flatMap((name) => {
    const known = inventories.map((inventory) => inventory.get(name))
    const latest = known.findLast((method) => method !== undefined)
    if (latest.kind !== kind) return []
    return [
      [code(name), ...known.map((method) => (method === undefined ? ABSENT : DIRECTIONS[method.from])), needs(known)],
    ]
  })
  return table([kind, ...versions, 'needs'], rows)
}

/** What must have been declared; more than one line of it where versions differ. */
function needs(known) {
  const all = known.flatMap((method) => Object.values(method?.needs ?? {}))
  return [...new Set(all)].map(code).join(', ')
}

function capabilityTable(versions, inventories) {
  const rows = names(inventories).map((path) => {
    const known = inventories.map((inventory) => inventory.get(path))
    const latest = known.findLast((capability) => capability !== undefined)
    const dependencies = (latest.dependencies ?? []).map(code).join(', ')
    return [code(path), ...known.map(flags), dependencies, latest.description]
  })
  return table(['capability', ...versions, 'depends on', 'what it says'], rows)
}

function flags(capability) {
  if (capability === undefined) return ABSENT
  return capability.flags === undefined || capability.flags.length === 0 ? 'yes' : capability.flags.map(code).join(', ')
}

/** Every name of any version, in the order in which they appeared. */
function names(inventories) {
  return [...new Set(inventories.flatMap((inventory) => [...inventory.keys()]))]
}

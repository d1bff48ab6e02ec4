/** Explains why a client cannot be asked a question: its version, and the version that introduced the question (X5). */
import { capabilitiesOf, methodIn, type ProtocolVersion, versions } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

/** Empty when the version has the method. The client then does not declare the capability. */
export function methodGap(version: ProtocolVersion, method: string): string {
  return gap(version, method, (each) => methodIn(each, method) !== undefined)
}

/** `required`: the capabilities that a server requires, from its error. */
export function capabilityGap(version: ProtocolVersion, required: Readonly<Record<string, unknown>>): string {
  const gaps = Object.entries(required).flatMap(([capability, parts]) => {
    const missing = gap(version, capability, (each) => declarable(each, capability))
    if (missing !== '') return [missing]
    return Object.keys(isObject(parts) ? parts : {}).map((part) =>
      gap(version, `${capability}.${part}`, (each) => declarable(each, capability, part)),
    )
  })
  return gaps.filter((each) => each !== '').join('; ')
}

function gap(version: ProtocolVersion, what: string, has: (version: ProtocolVersion) => boolean): string {
  if (has(version)) return ''
  const since = versions.find(has)
  return since === undefined ? '' : `the client speaks ${version}, and ${what} came with ${since}`
}

function declarable(version: ProtocolVersion, capability: string, part?: string): boolean {
  const found = capabilitiesOf(version).find(({ path }) => path === `client.${capability}`)
  return found !== undefined && (part === undefined || found.flags?.includes(part) === true)
}

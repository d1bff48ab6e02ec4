/**
 * Names the version gap behind a question that a client cannot be asked: which version it speaks, and since when there
 * is such a question (X5).
 */
import { capabilitiesOf, methodIn, type ProtocolVersion, versions } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

/** Empty when the version has the method: then the client could, and does not want to. */
export function methodGap(version: ProtocolVersion, method: string): string {
  return gap(version, method, (each) => methodIn(each, method) !== undefined)
}

/** `required`: as servers say what they miss. */
export function capabilityGap(version: ProtocolVersion, required: Readonly<Record<string, unknown>>): string {
  const gaps = Object.entries(required).flatMap(([capability, parts]) => {
    const whole = gap(version, capability, (each) => declarable(each, capability))
    if (whole !== '') return [whole]
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

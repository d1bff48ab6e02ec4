/** Names the version gap behind a question that a client cannot be asked: which version it speaks, and since when there is such a question (X5). */
import { methodIn, type ProtocolVersion, versions } from 'parley-mcp'

const METHODS: Readonly<Record<string, string>> = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' }

/** Empty when the version has the method: then the client could, and does not want to. */
export function methodGap(version: ProtocolVersion, method: string): string {
  if (methodIn(version, method) !== undefined) return ''
  const since = versions.find((each) => methodIn(each, method) !== undefined)
  return since === undefined ? '' : `the client speaks ${version}, and ${method} came with ${since}`
}

export function capabilityGap(version: ProtocolVersion, required: Readonly<Record<string, unknown>>): string {
  const gaps = Object.keys(required).flatMap((capability) => {
    const method = METHODS[capability]
    const gap = method === undefined ? '' : methodGap(version, method)
    return gap === '' ? [] : [gap]
  })
  return gaps.join('; ')
}

/** When a tool could not ask: which version to speak instead, or how to be a client that can be asked. */
import { methodIn, type ProtocolVersion, supports, versions } from 'parley-mcp'

/** What this program can be asked, by capability, and what a version must have for it. */
const NEEDS: Readonly<Record<string, (version: ProtocolVersion) => boolean>> = {
  'elicitation.form': (version) => methodIn(version, 'elicitation/create') !== undefined,
  'elicitation.url': (version) => supports(version, 'elicitation-url'),
}

/** `words`: those of the failed call. */
export function askingHint(words: string, version: ProtocolVersion, canBeAsked: boolean): string | undefined {
  const [, capability = ''] = /client capability "([a-z.]+)"/.exec(words) ?? []
  const has = Object.hasOwn(NEEDS, capability) ? NEEDS[capability] : undefined
  if (has === undefined) return undefined
  if (!has(version)) return `--version ${versions.find(has)} or later can be asked`
  return canBeAsked
    ? undefined
    : 'the server asks something: answer with --answer key=value, or at a terminal without --decline'
}

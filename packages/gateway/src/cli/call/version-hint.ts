/** When a tool could not ask because of the version that was spoken: which one to speak instead. */
import { methodIn, type ProtocolVersion, supports, versions } from 'parley-mcp'

/** What this program can be asked, by capability, and what a version must have for it. */
const NEEDS: Readonly<Record<string, (version: ProtocolVersion) => boolean>> = {
  'elicitation.form': (version) => methodIn(version, 'elicitation/create') !== undefined,
  'elicitation.url': (version) => supports(version, 'elicitation-url'),
}

/** `words`: those of the failed call. */
export function versionHint(words: string, version: ProtocolVersion): string | undefined {
  const [, capability = ''] = /client capability "([a-z.]+)"/.exec(words) ?? []
  const has = Object.hasOwn(NEEDS, capability) ? NEEDS[capability] : undefined
  if (has === undefined || has(version)) return undefined
  return `--version ${versions.find(has)} or later can be asked`
}

/**
 * Registers a sixth version while sources are loaded: all that a new version costs beside its step file. The line is
 * the one that a developer would write.
 */
import type { Plugin } from 'vitest/config'

export const REGISTRY = 'packages/sdk/src/versions/steps/index.ts'
export const REGISTRATION = `export { step as to20270101 } from '../../../../../test/sixth-version/2027-01-01.ts'\n`

/** The text of a source with the registration in it. */
export const registered = (path: string, text: string): string =>
  path.endsWith(REGISTRY) ? `${text}${REGISTRATION}` : text

const folder = new URL('../../packages/', import.meta.url).pathname

/** The tests of the sixth version run on sources: what was built does not have it. */
export const sixthVersion: Plugin = {
  name: 'sixth-version',
  enforce: 'pre',
  transform: (text, id) => registered(id, text),
  resolveId(source, importer) {
    if (!importer?.includes('/test/sixth-version/')) return undefined
    const [, entry = 'index'] = /^parley-mcp(?:\/(\w+))?$/.exec(source) ?? []
    if (source.startsWith('parley-mcp')) return `${folder}sdk/src/${entry}.ts`
    return source === 'parley-gateway' ? `${folder}gateway/src/index.ts` : undefined
  },
}

/**
 * Registers a sixth version while sources are loaded: all that a new version costs beside its step file. The lines are
 * those that a developer would write.
 */
import type { Plugin } from 'vitest/config'

interface Edit {
  readonly file: string
  /** This text occurs once, and `line` follows it. */
  readonly after: string
  readonly line: string
}

export const registration: readonly Edit[] = [
  {
    file: 'packages/sdk/src/protocol/versions.ts',
    after: `export const statelessVersions = ['2026-07-28'`,
    line: `, '2027-01-01'`,
  },
  {
    file: 'packages/sdk/src/versions/steps/index.ts',
    after: `import { step as to20260728 } from './2026-07-28/step.ts'`,
    line: `\nimport { step as to20270101 } from '../../../../../test/sixth-version/2027-01-01.ts'`,
  },
  {
    file: 'packages/sdk/src/versions/steps/index.ts',
    after: `'2026-07-28': to20260728,`,
    line: `\n  '2027-01-01': to20270101,`,
  },
]

/** The text of a source with the registration in it. */
export function registered(path: string, text: string, edits: readonly Edit[] = registration): string {
  return edits
    .filter(({ file }) => path.endsWith(file))
    .reduce((written, { file, after, line }) => {
      const parts = written.split(after)
      if (parts.length !== 2) throw new Error(`${file} does not have ${JSON.stringify(after)} exactly once`)
      return parts.join(`${after}${line}`)
    }, text)
}

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

/**
 * The official schemas, for tests that check what a step makes; they are read from the directory PARLEY_SPEC_SCHEMAS
 * names.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

// Sources are compiled without the types of Node, so that none of them can lean on it; a test may, and says itself what
// it uses.
const { readFileSync } = (await import('node:fs' as string)) as { readFileSync(path: string, encoding: 'utf8'): string }
const { env } = (await import('node:process' as string)) as { env: Record<string, string | undefined> }

const directory = env['PARLEY_SPEC_SCHEMAS']

export const haveSchemas: boolean = directory !== undefined && directory !== ''

const engines = new Map<string, Ajv2020>()

/** What is wrong with a value, or `undefined`. Only for the versions that use the 2020-12 dialect. */
export function flaw(
  version: '2025-11-25' | '2026-07-28' | 'tasks-extension',
  definition: string,
  value: unknown,
): string | undefined {
  let engine = engines.get(version)
  if (engine === undefined) {
    engine = new Ajv2020({ strict: false, validateFormats: false })
    engine.addSchema(JSON.parse(readFileSync(`${directory}/${version}/schema.json`, 'utf8')), 'spec')
    engines.set(version, engine)
  }
  return engine.validate({ $ref: `spec#/$defs/${definition}` }, value) ? undefined : engine.errorsText()
}

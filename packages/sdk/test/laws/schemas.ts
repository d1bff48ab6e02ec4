/**
 * The first oracle: the official JSON Schemas of the five versions, read from the directory that PARLEY_SPEC_SCHEMAS
 * names.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ProtocolVersion, versions } from '../../src/versions/index.ts'
import { judgedAs } from './releases.ts'

/** `undefined` when the value fits, otherwise what is wrong with it. */
export type Judgement = string | undefined

type Compiled = ReturnType<Ajv['compile']>

interface Book {
  readonly definitions: ReadonlyMap<string, unknown>
  readonly engine: Ajv | Ajv2020
  readonly compiled: Map<string, Compiled>
}

const directory = process.env['PARLEY_SPEC_SCHEMAS']

/** True when the official schemas can be consulted. */
export const haveSchemas: boolean = directory !== undefined && directory !== ''

const books: ReadonlyMap<string, Book> = new Map(
  haveSchemas
    ? [...versions.filter((version) => judgedAs(version) === version), 'tasks-extension'].map(
        (name) => [name, openBook(name)] as const,
      )
    : [],
)

function openBook(name: string): Book {
  const file = join(directory as string, name, 'schema.json')
  if (!existsSync(file)) throw new Error(`PARLEY_SPEC_SCHEMAS is set but ${file} does not exist`)
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { $schema?: string; definitions?: object; $defs?: object }
  // Formats are annotations in both dialects, and the schemas use some (`byte`, `uri-template`) that ajv does not know.
  const options = { strict: false, allErrors: false, validateFormats: false }
  const engine = schema.$schema?.includes('2020-12') === true ? new Ajv2020(options) : new Ajv(options)
  engine.addSchema(schema, 'spec')
  return { definitions: new Map(Object.entries(schema.definitions ?? schema.$defs ?? {})), engine, compiled: new Map() }
}

function book(name: string): Book {
  const found = books.get(name)
  if (found === undefined) throw new Error(`No official schema for ${name}: is PARLEY_SPEC_SCHEMAS set?`)
  return found
}

/** Names of the definitions of a version. */
export function definitionsOf(version: ProtocolVersion): ReadonlyMap<string, unknown> {
  return book(version).definitions
}

export function validate(version: ProtocolVersion | 'tasks-extension', definition: string, value: unknown): Judgement {
  const { definitions, engine, compiled } = book(version)
  let check = compiled.get(definition)
  if (check === undefined) {
    if (!definitions.has(definition)) return `${version} has no definition ${definition}`
    check = engine.compile({
      $ref: `spec#/${engine instanceof Ajv2020 ? '$defs' : 'definitions'}/${definition}`,
    }) as Compiled
    compiled.set(definition, check)
  }
  if (check(value)) return undefined
  return `${definition} of ${version}: ${engine.errorsText(check.errors, { dataVar: '' })}`
}

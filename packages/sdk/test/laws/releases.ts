/** The second oracle: the message schemas of published releases of the official SDK, one release per version. */
import { type ProtocolVersion, versions } from '../../src/versions/index.ts'
import type { Judgement } from './schemas.ts'

interface Parser {
  safeParse(value: unknown): { success: boolean; error?: { message: string } }
}

/**
 * The release whose newest version is the one in question. 2.x has one set of schemas for all its versions, without the
 * 2026-07-28 envelope.
 */
const packages: Readonly<Partial<Record<ProtocolVersion, string>>> = {
  '2024-11-05': 'sdk-2024-11-05/types.js',
  '2025-03-26': 'sdk-2025-03-26/types.js',
  '2025-06-18': 'sdk-2025-06-18/types.js',
  '2025-11-25': 'sdk-2025-11-25/types.js',
  '2026-07-28': '@modelcontextprotocol/core',
}

/** A version without a release is judged by the newest one before it that has one. */
export function judgedAs(version: ProtocolVersion): ProtocolVersion {
  return versions.findLast((each) => each <= version && each in packages) as ProtocolVersion
}

const releases: ReadonlyMap<ProtocolVersion, Readonly<Record<string, unknown>>> = new Map(
  await Promise.all(
    (Object.entries(packages) as [ProtocolVersion, string][]).map(
      async ([version, name]) => [version, (await import(name)) as Record<string, unknown>] as const,
    ),
  ),
)

/** Names that differ from the specification's, and definitions the releases do not have. */
const names: Readonly<Record<string, string | undefined>> = {
  InputRequiredResult: undefined,
  URLElicitationRequiredError: 'JSONRPCErrorResponse',
  HeaderMismatchError: 'JSONRPCErrorResponse',
  MissingRequiredClientCapabilityError: 'JSONRPCErrorResponse',
  UnsupportedProtocolVersionError: 'JSONRPCErrorResponse',
  UpdateTaskRequest: undefined,
  UpdateTaskResult: undefined,
}

export function parse(version: ProtocolVersion, definition: string, value: unknown): Judgement {
  const name = definition in names ? names[definition] : definition
  if (name === undefined) return undefined
  const judge = judgedAs(version)
  const parser = releases.get(judge)?.[`${name}Schema`] as Parser | undefined
  if (parser === undefined) return `${packages[judge]} has no ${name}Schema`
  const outcome = parser.safeParse(value)
  return outcome.success ? undefined : `${name}Schema of ${packages[judge]}: ${outcome.error?.message}`
}

/** What validation says: a value, or issues a person and a model can read. */
import type { JsonSchema } from './infer.ts'

export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type Validated = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly Issue[] }

export interface CompiledSchema {
  /** The JSON Schema shown to peers, unchanged for plain JSON Schema; computed once. */
  toJsonSchema(): JsonSchema | Promise<JsonSchema>
  /** Synchronous whenever the library is and is loaded; a promise otherwise. */
  validate(value: unknown): Validated | Promise<Validated>
}

export function describeIssues(issues: readonly Issue[]): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
}

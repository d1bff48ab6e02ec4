/** What validation says: a value, or issues a person and a model can read. */
import type { SchemaObject } from './infer.ts'

export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export interface CompiledSchema {
  /**
   * The JSON Schema shown to peers, unchanged for plain JSON Schema; computed once. Throws or rejects with
   * `tool_schema_invalid`.
   */
  toJsonSchema(): SchemaObject | Promise<SchemaObject>
  /** Synchronous whenever the library is and is loaded; a promise otherwise. */
  validate(value: unknown): Validated | Promise<Validated>
}

/** More issues do not help: the first ones must be corrected anyway. */
export const MAX_ISSUES = 20

const MAX_DESCRIBED = 10
const MAX_MESSAGE = 200
const MAX_PATH = 100

/** One line for all issues, of bounded length: `city: expected string, got number; tags[0]: is required`. */
export function describeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, MAX_DESCRIBED).map(describe)
  const hidden = issues.length - shown.length
  return hidden > 0 ? `${shown.join('; ')}; and ${hidden} more` : shown.join('; ')
}

export function failure(message: string): Validated {
  return { ok: false, issues: [{ path: [], message }] }
}

function describe(issue: Issue): string {
  const message = clip(issue.message.replace(/\s+/g, ' ').trim(), MAX_MESSAGE)
  return issue.path.length === 0
    ? message
    : `${clip(issue.path.slice(0, MAX_PATH).reduce<string>(step, ''), MAX_PATH)}: ${message}`
}

function step(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

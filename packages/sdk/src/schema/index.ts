/** Standard Schema and JSON Schema: infer, convert, validate. */
export { compileSchema, validateJson } from './compile.ts'
export type { InputOf, OutputOf, SchemaLike, SchemaObject } from './infer.ts'
export { type CompiledSchema, describeIssues, type Issue, type Validated } from './issue.ts'

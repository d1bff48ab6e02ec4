/** Standard Schema and JSON Schema: infer, convert, validate. */
export { compileSchema, validateJson } from './compile.ts'
export type { InputOf, JsonSchema, OutputOf, SchemaLike } from './infer.ts'
export { type CompiledSchema, describeIssues, type Issue, type Validated } from './issue.ts'

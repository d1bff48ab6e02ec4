/** Tools: what a model can call, and what calls return. */
import type { Icon, Meta, Named, PaginatedParams, PaginatedResult, RequestParams } from './common.ts'
import type { ContentBlock } from './content.ts'
import type { RetryParams } from './input.ts'
import type { TaskMetadata } from './tasks.ts'

/** Hints about what a tool does; a client must not trust them from a server it does not trust. */
export type ToolAnnotations = {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export type ToolExecution = { taskSupport?: 'forbidden' | 'optional' | 'required' }

/** A JSON Schema whose root is an object. */
export type ObjectSchema = Record<string, unknown> & { $schema?: string; type: 'object' }

/** Any JSON Schema in object form. */
export type JsonSchema = Record<string, unknown> & { $schema?: string }

export type Tool = Named & {
  description?: string
  inputSchema: ObjectSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  /** Handshake era only. */
  execution?: ToolExecution
  icons?: Icon[]
  _meta?: Meta
}

export type ListToolsParams = PaginatedParams

export type ListToolsResult = PaginatedResult & { tools: Tool[] }

export type CallToolParams = RequestParams &
  RetryParams & {
    name: string
    arguments?: Record<string, unknown>
    /** Handshake era only: run as a task. */
    task?: TaskMetadata
  }

export type CallToolResult = {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

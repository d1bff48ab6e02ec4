/** What tools, prompts and models say: blocks of content. */
import type { Annotations, Meta } from './common.ts'
import type { Resource, ResourceContents } from './resources.ts'

export type TextContent = {
  type: 'text'
  text: string
  annotations?: Annotations
  _meta?: Meta
}

export type ImageContent = {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
  annotations?: Annotations
  _meta?: Meta
}

export type AudioContent = {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
  annotations?: Annotations
  _meta?: Meta
}

/** A resource to read if it is wanted; it need not be in the list of resources. */
export type ResourceLink = Resource & { type: 'resource_link' }

export type EmbeddedResource = {
  type: 'resource'
  resource: ResourceContents
  annotations?: Annotations
  _meta?: Meta
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** A model's wish to call a tool. */
export type ToolUseContent = {
  type: 'tool_use'
  id: string
  name: string
  input: Record<string, unknown>
  _meta?: Meta
}

/** What came of a wish to call a tool. */
export type ToolResultContent = {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

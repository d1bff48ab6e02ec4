/** Resources: what can be read, and what was read. */
import type {
  Annotations,
  Icon,
  Meta,
  Named,
  NotificationParams,
  PaginatedParams,
  PaginatedResult,
  RequestParams,
} from './common.ts'
import type { RetryParams } from './input.ts'

export type Resource = Named & {
  uri: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  /** In bytes, before any encoding. */
  size?: number
  icons?: Icon[]
  _meta?: Meta
}

export type ResourceTemplate = Named & {
  /** RFC 6570. */
  uriTemplate: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

export type TextResourceContents = {
  uri: string
  mimeType?: string
  text: string
  _meta?: Meta
}

export type BlobResourceContents = {
  uri: string
  mimeType?: string
  /** Base64. */
  blob: string
  _meta?: Meta
}

export type ResourceContents = TextResourceContents | BlobResourceContents

export type ListResourcesParams = PaginatedParams

export type ListResourcesResult = PaginatedResult & { resources: Resource[] }

export type ListResourceTemplatesParams = PaginatedParams

export type ListResourceTemplatesResult = PaginatedResult & { resourceTemplates: ResourceTemplate[] }

export type ReadResourceParams = RequestParams & RetryParams & { uri: string }

export type ReadResourceResult = { _meta?: Meta; contents: ResourceContents[] }

export type SubscribeParams = RequestParams & { uri: string }

export type UnsubscribeParams = RequestParams & { uri: string }

export type ResourceUpdatedParams = NotificationParams & { uri: string }

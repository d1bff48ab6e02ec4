/**
 * Pieces that most messages are made of. All protocol types are aliases, not interfaces: so every one of them is also a
 * plain record, without a cast.
 */

export type { RequestId } from '../../jsonrpc/index.ts'

export type ProgressToken = string | number

/** An opaque position in a list. */
export type Cursor = string

/** Whose turn it is in a conversation with a model. */
export type Role = 'user' | 'assistant'

/** `_meta`: anything, keyed by name. */
export type Meta = Record<string, unknown>

/** `_meta` of a request, where the caller may ask for progress. */
export type RequestMeta = Meta & { progressToken?: ProgressToken }

export type RequestParams = { _meta?: RequestMeta }

export type NotificationParams = { _meta?: Meta }

/** The result of a request that has nothing to tell. */
export type EmptyResult = { _meta?: Meta }

export type PaginatedParams = RequestParams & { cursor?: Cursor }

export type PaginatedResult = { _meta?: Meta; nextCursor?: Cursor }

/** Hints for programs that show or filter content. */
export type Annotations = {
  audience?: Role[]
  /** From 0, optional, to 1, required. */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

export type Icon = {
  /** An `https:` or `data:` URI. */
  src: string
  mimeType?: string
  /** `WxH` each, or `any`. */
  sizes?: string[]
  theme?: 'light' | 'dark'
}

export type Named = {
  /** For programs. */
  name: string
  /** For people. */
  title?: string
}

/** The name and version of a client or a server. */
export type Implementation = Named & {
  version: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
}

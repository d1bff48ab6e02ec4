/** Completion: what an argument of a prompt or a template might be. */
import type { Meta, Named, RequestParams } from './common.ts'

export type PromptReference = Named & { type: 'ref/prompt' }

export type ResourceTemplateReference = {
  type: 'ref/resource'
  /** A URI or a URI template. */
  uri: string
}

export type CompleteParams = RequestParams & {
  ref: PromptReference | ResourceTemplateReference
  argument: { name: string; value: string }
  /** What was filled in already. */
  context?: { arguments?: Record<string, string> }
}

export type CompleteResult = {
  completion: {
    /** At most 100. */
    values: string[]
    total?: number
    hasMore?: boolean
  }
  _meta?: Meta
}

/** Prompts: templates a user picks, filled in. */
import type { Icon, Meta, Named, PaginatedParams, PaginatedResult, RequestParams, Role } from './common.ts'
import type { ContentBlock } from './content.ts'
import type { RetryParams } from './input.ts'

export type PromptArgument = Named & {
  description?: string
  required?: boolean
}

export type Prompt = Named & {
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Meta
}

export type PromptMessage = { role: Role; content: ContentBlock }

export type ListPromptsParams = PaginatedParams

export type ListPromptsResult = PaginatedResult & { prompts: Prompt[] }

export type GetPromptParams = RequestParams &
  RetryParams & {
    name: string
    arguments?: Record<string, string>
  }

export type GetPromptResult = {
  description?: string
  messages: PromptMessage[]
  _meta?: Meta
}

/** Sampling: a server asks the client's model. */
import type { Meta, RequestParams, Role } from './common.ts'
import type { SamplingContent } from './content.ts'
import type { TaskMetadata } from './tasks.ts'
import type { Tool } from './tools.ts'

export type SamplingMessage = {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta
}

/** A model's name or a part of it. */
export type ModelHint = { name?: string }

/** Each priority is from 0, does not matter, to 1, matters most. */
export type ModelPreferences = {
  hints?: ModelHint[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

export type ToolChoice = { mode?: 'auto' | 'required' | 'none' }

export type IncludeContext = 'none' | 'thisServer' | 'allServers'

export type CreateMessageParams = RequestParams & {
  messages: SamplingMessage[]
  modelPreferences?: ModelPreferences
  systemPrompt?: string
  includeContext?: IncludeContext
  temperature?: number
  maxTokens: number
  stopSequences?: string[]
  metadata?: Record<string, unknown>
  tools?: Tool[]
  toolChoice?: ToolChoice
  /** Handshake era only: run as a task. */
  task?: TaskMetadata
}

/** The known reasons complete in an editor; any other string is allowed. */
export type StopReason = 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & Record<never, never>)

export type CreateMessageResult = SamplingMessage & {
  model: string
  stopReason?: StopReason
}

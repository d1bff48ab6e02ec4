/** Questions that travel inside a result, and their answers inside the retry. */
import type { Meta, RequestParams } from './common.ts'
import type { ElicitParams, ElicitResult } from './elicitation.ts'
import type { ListRootsResult } from './roots.ts'
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts'

export type InputRequest =
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: RequestParams }
  | { method: 'elicitation/create'; params: ElicitParams }

export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult

export type InputRequests = Record<string, InputRequest>

export type InputResponses = Record<string, InputResponse>

/** What a retried request carries beside its own parameters. */
export type RetryParams = {
  inputResponses?: InputResponses
  /** Handed back exactly as it came. */
  requestState?: string
}

export type InputRequiredResult = {
  inputRequests?: InputRequests
  requestState?: string
  _meta?: Meta
}

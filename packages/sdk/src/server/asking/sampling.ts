/** What `ctx.sample` may be given, made into the parameters of `sampling/createMessage`. */
import { isObject } from '../../jsonrpc/index.ts'
import type { CreateMessageParams, SamplingContent, SamplingMessage } from '../../protocol/index.ts'
import type { MessageValue } from '../prompts/messages.ts'

/** A text is said by the user; `user(…)` and `assistant(…)` say who. */
export type SampleMessage = string | MessageValue | SamplingMessage

/** The parameters of the request. Without `maxTokens` the model is asked for at most 1000. */
export type SampleParams = Omit<CreateMessageParams, 'messages' | 'maxTokens'> & {
  messages: readonly SampleMessage[]
  maxTokens?: number
}

export type SamplePrompt = string | MessageValue | readonly SampleMessage[] | SampleParams

const DEFAULT_MAX_TOKENS = 1000

/** Throws a `TypeError` for what is no prompt: the client could not say what is wrong with it. */
export function sampleParams(prompt: SamplePrompt): CreateMessageParams {
  const { messages, ...rest } = isParams(prompt) ? prompt : { messages: Array.isArray(prompt) ? prompt : [prompt] }
  if (!Array.isArray(messages))
    throw new TypeError('ctx.sample needs a text, messages, or an object with a list "messages"')
  return { maxTokens: DEFAULT_MAX_TOKENS, ...rest, messages: messages.map(toMessage) }
}

function isParams(prompt: SamplePrompt): prompt is SampleParams {
  return isObject(prompt) && !('role' in prompt)
}

function toMessage(value: SampleMessage): SamplingMessage {
  if (typeof value === 'string') return { role: 'user', content: toBlock(value) }
  if (!isObject(value) || (value.role !== 'user' && value.role !== 'assistant'))
    throw new TypeError('Not a message: use a text, user(…) or assistant(…)')
  const { content } = value
  return {
    ...value,
    content: Array.isArray(content) ? content.map(toBlock) : toBlock(content as string | SamplingContent),
  }
}

function toBlock(item: string | SamplingContent): SamplingContent {
  if (typeof item === 'string') return { type: 'text', text: item }
  if (isObject(item) && typeof item['type'] === 'string') return item as SamplingContent
  throw new TypeError('Not the content of a message: use a text, text(), image() or audio()')
}

/** What a prompt handler may return, made into messages. */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { ContentBlock, GetPromptResult, PromptMessage, Role } from '../../protocol/index.ts'
import { type ContentValue, toBlocks } from '../tools/results.ts'

export interface MessageValue {
  role: Role
  content: ContentValue
}

export type PromptValue = string | ContentBlock | MessageValue | readonly (string | MessageValue)[] | GetPromptResult

export function user(content: ContentValue): MessageValue {
  return { role: 'user', content }
}

export function assistant(content: ContentValue): MessageValue {
  return { role: 'assistant', content }
}

/** Throws a `TypeError` when the value is no prompt. */
export function promptResult(description: string | undefined, value: unknown): GetPromptResult {
  if (isObject(value) && Array.isArray(value['messages'])) {
    return {
      ...(description === undefined ? {} : { description }),
      ...value,
      messages: value['messages'].flatMap(toMessages),
    }
  }
  const messages = (Array.isArray(value) ? value : [value]).flatMap(toMessages)
  return description === undefined ? { messages } : { description, messages }
}

/** The protocol allows one block per message: several become several messages of the same role. */
function toMessages(value: unknown): PromptMessage[] {
  if (typeof value === 'string') return [{ role: 'user', content: { type: 'text', text: value } }]
  const role = isObject(value) ? (value as Body)['role'] : undefined
  if (role === 'user' || role === 'assistant') {
    return toBlocks((value as MessageValue).content).map((content) => ({ role, content }))
  }
  return toBlocks(value as ContentValue).map((content) => ({ role: 'user', content }))
}

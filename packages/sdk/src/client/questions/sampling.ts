/** Answers a request of the server to the model. Checks the messages, calls the handler and completes the result. */
import { ParleyError } from '../../errors/index.ts'
import { isObject } from '../../jsonrpc/index.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/index.ts'
import type { Identity, Inbound } from '../../session/index.ts'

/** One request to the model: the parameters of `sampling/createMessage`, and the server that asks. */
export interface SampleQuestion extends Omit<CreateMessageParams, '_meta' | 'task'> {
  readonly server: Identity | undefined
  /** Aborted when the server cancels the request. */
  readonly signal: AbortSignal
}

/** A result, with or without `role` and `model`, or only the text. */
export type SampleReply =
  | string
  | (Omit<CreateMessageResult, 'role' | 'model'> & { role?: CreateMessageResult['role']; model?: string })

export type SampleHandler = (question: SampleQuestion) => SampleReply | Promise<SampleReply>

/** A handler with options: whether it can use tools, and whether it adds context of the servers. */
export interface SampleOffer {
  answer: SampleHandler
  tools?: boolean
  context?: boolean
}

export type SampleOption = SampleHandler | SampleOffer

export function sampleOffer(option: SampleOption): SampleOffer {
  return typeof option === 'function' ? { answer: option } : option
}

/** A handler throws this when the user refuses. The server gets the error code of the specification. */
export function userRejected(message?: string): ParleyError {
  return new ParleyError('user_rejected', message === undefined ? {} : { message })
}

export async function answerSampling(inbound: Inbound, offer: SampleOffer): Promise<CreateMessageResult> {
  const params = inbound.params
  checkParams(params, offer)
  const { _meta, task, ...question } = params as CreateMessageParams
  const reply = await offer.answer({ ...question, server: inbound.session.peer?.info, signal: inbound.signal })
  if (typeof reply === 'string')
    return { role: 'assistant', content: { type: 'text', text: reply }, model: 'unknown', stopReason: 'endTurn' }
  if (!isObject(reply) || !isContent(reply.content)) {
    throw new ParleyError('internal_error', {
      cause: new TypeError('The sampling handler must return text or a result with "content"'),
    })
  }
  return { ...reply, role: reply.role ?? 'assistant', model: reply.model ?? 'unknown' }
}

function isContent(content: unknown): boolean {
  return Array.isArray(content) ? content.every(isBlock) : isBlock(content)
}

function isBlock(block: unknown): boolean {
  return isObject(block) && typeof block['type'] === 'string'
}

function checkParams(params: Record<string, unknown>, offer: SampleOffer): void {
  const { messages, maxTokens, tools, toolChoice } = params
  if (!Array.isArray(messages) || !messages.every(isMessage))
    throw invalid('"messages" must be messages with a role and content')
  if (typeof maxTokens !== 'number') throw invalid('"maxTokens" must be a number')
  // C-03: without the tools, the model would answer a different question, so the request is refused.
  if ((tools !== undefined || toolChoice !== undefined) && offer.tools !== true)
    throw invalid('this client does not offer tools in sampling ("sampling.tools")')
  checkToolResults(messages)
}

function isMessage(message: unknown): message is SamplingMessage {
  return (
    isObject(message) &&
    (message['role'] === 'user' || message['role'] === 'assistant') &&
    isContent(message['content'])
  )
}

/** C-06: a message with tool results has nothing else, and answers every tool use of the previous message. */
function checkToolResults(messages: readonly SamplingMessage[]): void {
  let open: ReadonlySet<string> = new Set()
  for (const message of messages) {
    const blocks: readonly SamplingContent[] = Array.isArray(message.content) ? message.content : [message.content]
    const results = blocks.filter((block) => block.type === 'tool_result')
    if (results.length > 0 && results.length < blocks.length) throw invalid('tool results are mixed with other content')
    if (results.length > 0 && message.role !== 'user') throw invalid('tool results belong in a message of the user')
    const answered = new Set(results.map((result) => result.toolUseId))
    for (const id of open) if (!answered.has(id)) throw invalid(`tool result missing for tool use "${id.slice(0, 64)}"`)
    for (const id of answered)
      if (!open.has(id))
        throw invalid(`tool result for "${String(id).slice(0, 64)}" answers no tool use of the message before`)
    open = new Set(blocks.filter((block) => block.type === 'tool_use').map((use) => use.id))
  }
  if (open.size > 0) throw invalid('the last tool use has no result')
}

function invalid(reason: string): ParleyError {
  return new ParleyError('invalid_params', { message: `Invalid sampling request: ${reason}` })
}

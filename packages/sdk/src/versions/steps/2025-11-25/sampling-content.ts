/** Several blocks per sampling message, for peers with one block each (C-01, C-02, C-03, C-05). */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { declares } from '../../../protocol/index.ts'
import { refuseRequest, refuseResult } from '../../gap.ts'
import type { Edit, EditContext } from '../../operation.ts'

const EMPTY_TEXT: Body = Object.freeze({ type: 'text', text: '' })

function isToolBlock(block: unknown): boolean {
  return isObject(block) && (block['type'] === 'tool_use' || block['type'] === 'tool_result')
}

function isText(block: unknown): block is Body & { text: string } {
  return isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string'
}

const blocksOf = (content: unknown): unknown[] => (Array.isArray(content) ? content : [content])

export const refuseTools: Edit = (params, context) => {
  if (params['tools'] === undefined && params['toolChoice'] === undefined) return params
  if (declares(context.clientCapabilities, 'sampling.tools')) return params
  return refuseRequest(
    context,
    'sampling with tools is not supported by the client: it speaks protocol 2025-06-18 or older',
    'C-03',
  )
}

export const oneBlockPerMessage: Edit = (params, context) => {
  const messages = params['messages']
  if (!Array.isArray(messages)) return params
  let changed = false
  const separate: unknown[] = []
  for (const message of messages) {
    const content = isObject(message) ? message['content'] : undefined
    if (blocksOf(content).some(isToolBlock)) {
      return refuseRequest(
        context,
        'tool blocks in sampling messages do not exist in protocol 2025-06-18 and older',
        'C-01',
      )
    }
    if (!Array.isArray(content)) {
      separate.push(message)
      continue
    }
    changed = true
    if (content.length > 1)
      context.lose(`one message of ${content.length} blocks became ${content.length} messages`, {
        path: `messages[${separate.length}]`,
      })
    for (const block of content.length === 0 ? [EMPTY_TEXT] : content)
      separate.push({ ...(message as Body), content: block })
  }
  return changed ? { ...params, messages: separate } : params
}

/** In older versions every sampling client took the wish for context, and was free to ignore it. */
export const contextWhereDeclared: Edit = (params, context) => {
  if (params['includeContext'] === undefined || params['includeContext'] === 'none') return params
  if (context.clientCapabilities === undefined || declares(context.clientCapabilities, 'sampling.context'))
    return params
  const { includeContext, ...rest } = params
  context.lose(`removed includeContext ${JSON.stringify(includeContext)}, which the client did not declare`, {
    path: 'includeContext',
  })
  return rest
}

export const oneBlockPerAnswer: Edit = (result, context) => {
  const content = result['content']
  if (blocksOf(content).some(isToolBlock)) {
    return refuseResult(
      context,
      'client returned tool blocks, which protocol 2025-06-18 and older of the server does not have',
      'C-02',
    )
  }
  return Array.isArray(content) ? { ...result, content: joined(content, context) } : result
}

function joined(blocks: readonly unknown[], context: EditContext): unknown {
  if (blocks.length < 2) return blocks[0] ?? EMPTY_TEXT
  const texts = blocks.filter(isText)
  const [first] = texts
  if (first === undefined) {
    context.lose(`kept the first of ${blocks.length} blocks`, { path: 'content' })
    return blocks[0]
  }
  if (texts.length === blocks.length) context.lose(`joined ${texts.length} texts`, { path: 'content', severity: 'i' })
  else context.lose(`kept ${texts.length} text blocks of ${blocks.length} blocks`, { path: 'content' })
  return texts.length === 1 ? first : { ...first, text: texts.map((block) => block.text).join('\n\n') }
}

/** Links to resources as text, for readers without that kind of block (B-06, B-15). */
import type { Body } from '../../../jsonrpc/index.ts'
import type { Edit } from '../../operation.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `Title: uri (type) description`, without the parts that are missing. */
function lineOf(link: Body): string {
  const label = text(link['title']) || text(link['name'])
  const type = text(link['mimeType'])
  return [label && `${label}:`, text(link['uri']), type && `(${type})`, text(link['description'])]
    .filter((part) => part !== '')
    .join(' ')
}

export const linkAsText: Edit = (block, context) => {
  if (block['type'] !== 'resource_link') return block
  context.lose(`a link to ${text(block['uri'])} became text`)
  const line: Body = { type: 'text', text: lineOf(block) }
  for (const key of ['annotations', '_meta']) if (block[key] !== undefined) line[key] = block[key]
  return line
}

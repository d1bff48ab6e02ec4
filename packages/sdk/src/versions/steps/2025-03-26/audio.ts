/** Audio blocks for readers that know text, images and embedded resources only. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { refuseRequest, refuseResult } from '../../gap.ts'
import { type Edit, Many } from '../../operation.ts'
import { bytesOf, sha256 } from '../../sha256.ts'

interface AudioBlock extends Body {
  data: string
  mimeType: string
}

function isAudio(value: unknown): value is AudioBlock {
  return isObject(value) && value['type'] === 'audio'
}

function isWhole(block: AudioBlock): boolean {
  return typeof block.data === 'string' && typeof block.mimeType === 'string'
}

/** The same bytes as an embedded resource; the address is made from them, so equal audio has an equal address. */
function embedded({ data, mimeType, ...rest }: AudioBlock): Body {
  return { ...rest, type: 'resource', resource: { uri: `urn:sha256:${sha256(bytesOf(data))}`, mimeType, blob: data } }
}

/** In a list there is room for a line that every client shows. */
export const audioInList: Edit = (block, context) => {
  if (!isAudio(block) || !isWhole(block)) return block
  context.lose(`audio (${block.mimeType}) became an embedded resource`)
  return new Many([{ type: 'text', text: `[Audio content: ${block.mimeType}]` }, embedded(block)])
}

export const audioAlone: Edit = (block, context) => {
  if (!isAudio(block) || !isWhole(block)) return block
  context.lose(`audio (${block.mimeType}) became an embedded resource`)
  return embedded(block)
}

export const refuseAudioInRequest: Edit = (params, context) => {
  const messages = params['messages']
  const heard = Array.isArray(messages) && messages.some((message) => isObject(message) && isAudio(message['content']))
  return heard ? refuseRequest(context, 'audio not supported by client protocol 2024-11-05', 'A-05') : params
}

export const refuseAudioInAnswer: Edit = (result, context) =>
  isAudio(result['content'])
    ? refuseResult(context, 'client returned audio, which protocol 2024-11-05 of the server does not have', 'A-06')
    : result

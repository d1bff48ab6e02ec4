/** Blocks of content, by name. */
import type {
  Annotations,
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  Meta,
  Resource,
  ResourceLink,
  TextContent,
} from '../../protocol/index.ts'
import { type ContentsValue, toContents } from '../resources/contents.ts'
import { toBase64 } from './base64.ts'

export interface BlockOptions {
  annotations?: Annotations
  meta?: Meta
}

export function text(value: string, options?: BlockOptions): TextContent {
  return { type: 'text', text: value, ...blockFields(options) }
}

/** `data` is base64 text or the bytes themselves. */
export function image(data: string | Uint8Array, mimeType: string, options?: BlockOptions): ImageContent {
  return { type: 'image', data: typeof data === 'string' ? data : toBase64(data), mimeType, ...blockFields(options) }
}

/** `data` is base64 text or the bytes themselves. */
export function audio(data: string | Uint8Array, mimeType: string, options?: BlockOptions): AudioContent {
  return { type: 'audio', data: typeof data === 'string' ? data : toBase64(data), mimeType, ...blockFields(options) }
}

/** Puts a resource into the content: `embed('file:///a.txt', 'hello')`. */
export function embed(
  uri: string,
  contents: Exclude<ContentsValue, readonly unknown[]>,
  options?: BlockOptions,
): EmbeddedResource {
  const resource = toContents(uri, undefined, contents)[0]
  if (resource === undefined) throw new TypeError('embed() needs something to embed')
  return { type: 'resource', resource, ...blockFields(options) }
}

/** Points to a resource to read if it is wanted; without a name the URI is shown. */
export function link(resource: Omit<Resource, 'name'> & { name?: string }): ResourceLink {
  return { ...resource, name: resource.name ?? resource.uri, type: 'resource_link' }
}

function blockFields(options: BlockOptions | undefined): { annotations?: Annotations; _meta?: Meta } {
  if (options === undefined) return {}
  return {
    ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    ...(options.meta === undefined ? {} : { _meta: options.meta }),
  }
}

type Fields = Record<string, unknown>

/** What makes an object a block rather than data that happens to have a `type`. */
const MARKS: Readonly<Record<string, (value: Fields) => boolean>> = {
  text: ({ text }) => typeof text === 'string',
  image: ({ data, mimeType }) => typeof data === 'string' && typeof mimeType === 'string',
  audio: ({ data, mimeType }) => typeof data === 'string' && typeof mimeType === 'string',
  resource: ({ resource }) =>
    typeof resource === 'object' && resource !== null && typeof (resource as Fields)['uri'] === 'string',
  resource_link: ({ uri, name }) => typeof uri === 'string' && typeof name === 'string',
}

export function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null) return false
  const type = (value as Fields)['type']
  return (
    typeof type === 'string' &&
    Object.hasOwn(MARKS, type) &&
    (MARKS[type] as (fields: Fields) => boolean)(value as Fields)
  )
}

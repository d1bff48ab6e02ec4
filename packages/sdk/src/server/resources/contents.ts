/** What a resource handler may return, made into contents. */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Meta, ResourceContents } from '../../protocol/index.ts'
import { toBase64 } from '../content/base64.ts'

interface ContentsFields {
  /** Default: the URI that was read. */
  uri?: string
  /** Default: the definition's, else by what it is: `text/plain`, `application/json`, `application/octet-stream`. */
  mimeType?: string
  meta?: Meta
}

export type OneContents =
  | string
  | Uint8Array
  | (ContentsFields & { text: string })
  /** Base64. */
  | (ContentsFields & { blob: string })
  | (ContentsFields & { bytes: Uint8Array })
  | (ContentsFields & { json: unknown })

export type ContentsValue = OneContents | readonly OneContents[]

/**
 * Throws a `TypeError` when the value is none of these; the type of the definition applies where the value names none.
 */
export function toContents(uri: string, mimeType: string | undefined, value: unknown): ResourceContents[] {
  if (Array.isArray(value)) return value.map((item) => oneContents(uri, mimeType, item))
  return [oneContents(uri, mimeType, value)]
}

function oneContents(uri: string, mimeType: string | undefined, value: unknown): ResourceContents {
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value }
  if (value instanceof Uint8Array)
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }
  if (!isObject(value)) throw unreadable(value)
  const { text, blob, bytes } = value
  if (typeof text === 'string') return { ...fields(uri, mimeType ?? 'text/plain', value), text }
  if (typeof blob === 'string') return { ...fields(uri, mimeType ?? 'application/octet-stream', value), blob }
  if (bytes instanceof Uint8Array)
    return { ...fields(uri, mimeType ?? 'application/octet-stream', value), blob: toBase64(bytes) }
  if (Object.hasOwn(value, 'json'))
    return { ...fields(uri, mimeType ?? 'application/json', value), text: JSON.stringify(value['json']) ?? 'null' }
  throw unreadable(value)
}

function fields(uri: string, mimeType: string, value: Body): { uri: string; mimeType: string; _meta?: Meta } {
  const meta = value['meta'] ?? value['_meta']
  const own = {
    uri: typeof value['uri'] === 'string' ? value['uri'] : uri,
    mimeType: typeof value['mimeType'] === 'string' ? value['mimeType'] : mimeType,
  }
  return isObject(meta) ? { ...own, _meta: meta } : own
}

function unreadable(value: unknown): TypeError {
  const what = value === null ? 'null' : typeof value
  return new TypeError(
    `Not contents of a resource: ${what}; return a string, bytes, { text }, { blob }, { bytes }, { json } or a list of these`,
  )
}

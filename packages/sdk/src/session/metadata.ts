/** What is added to the metadata of a message on its way: what was there goes on as it came, digit by digit. */
import { type Body, bodyText, isObject, noteCopiedResult, noteCopy, noteText, Serialised } from '../jsonrpc/index.ts'

export function extendedMetadata(metadata: unknown, added: Body): Body {
  if (!isObject(metadata)) return added
  const extended = { ...metadata, ...added }
  noteCopy(extended, metadata)
  return extended
}

/** Params or a result with more in `_meta`; what is already text is text again. */
export function withMetadata(body: Serialised, added: Body): Serialised
export function withMetadata(body: Body | undefined, added: Body): Body
export function withMetadata(body: Body | Serialised, added: Body): Body | Serialised
export function withMetadata(body: Body | Serialised | undefined, added: Body): Body | Serialised {
  if (body instanceof Serialised)
    return new Serialised(bodyText(withMetadata(read(body.json), added), 'internal_error'), { kept: body.kept })
  const extended = { ...body, _meta: extendedMetadata(body?.['_meta'], added) }
  if (body !== undefined) noteCopiedResult(extended, body)
  return extended
}

function read(json: string): Body {
  const body = JSON.parse(json) as Body
  noteText(json, body, body)
  return body
}

/** Shortens texts of clients and servers for receipts, and removes the parts of URIs that may be secret. */

/** Names come from clients and servers, and may be as long as a message. */
const MAX_NAME_LENGTH = 128
const MAX_TARGET_LENGTH = 512

export function shortName(text: unknown): string | undefined {
  return typeof text === 'string' ? cut(text, MAX_NAME_LENGTH) : undefined
}

export function shortTarget(text: string): string {
  return cut(text, MAX_TARGET_LENGTH)
}

const AUTHORITY = /^([a-z][a-z0-9+.-]*:[\\/]{2})[^\\/]*@/i
/** URIs that contain the resource itself. */
const SELF_CONTAINED = /^(?:data|blob|javascript):/i

/** Without query, fragment and credentials. */
export function plainUri(uri: string): string {
  const [scheme] = SELF_CONTAINED.exec(uri) ?? []
  if (scheme !== undefined) return scheme
  const [plain = ''] = uri.split(/[?#]/, 1)
  return plain.replace(AUTHORITY, '$1')
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

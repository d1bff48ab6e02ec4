/** The HTTP headers that repeat parts of a request of 2026-07-28, and how a value is written in one (D-60). */

export const HEADERS = {
  version: 'mcp-protocol-version',
  method: 'mcp-method',
  name: 'mcp-name',
  paramPrefix: 'mcp-param-',
} as const

const NAMED_BY: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The parameter that `Mcp-Name` repeats, for the methods that have one. */
export function namedBy(method: string): 'name' | 'uri' | 'taskId' | undefined {
  return NAMED_BY.get(method)
}

const PREFIX = '=?base64?'
const SUFFIX = '?='
/** Visible ASCII with blanks only inside: what every HTTP implementation hands over unchanged. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
/** Longest run that is handed to `String.fromCharCode` at once: arguments live on the stack. */
const RUN = 0x8000

const encoder = new TextEncoder()
/** A byte order mark is part of the value. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A value in the form a header can carry: as it is where that is safe, else in the Base64 form. */
export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !(value.startsWith(PREFIX) && value.endsWith(SUFFIX))) return value
  const bytes = encoder.encode(value)
  let binary = ''
  for (let at = 0; at < bytes.length; at += RUN) binary += String.fromCharCode(...bytes.subarray(at, at + RUN))
  return `${PREFIX}${btoa(binary)}${SUFFIX}`
}

/** The value behind a header, or `undefined` when it is in the Base64 form but that cannot be read. */
export function decodeHeader(text: string): string | undefined {
  if (text.length < PREFIX.length + SUFFIX.length || !text.startsWith(PREFIX) || !text.endsWith(SUFFIX)) return text
  const base64 = text.slice(PREFIX.length, -SUFFIX.length)
  try {
    const binary = atob(base64)
    // `atob` forgives blanks, missing padding and stray bits: two spellings of one value would let a gateway and a
    // server disagree.
    if (btoa(binary) !== base64) return undefined
    return decoder.decode(Uint8Array.from(binary, (sign) => sign.charCodeAt(0)))
  } catch {
    return undefined
  }
}

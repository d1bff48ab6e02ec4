/** Bytes as base64url without padding, in exactly one spelling. */

/** Longest run that is handed to `String.fromCharCode` at once: arguments live on the stack. */
const RUN = 0x8000

export function toBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += RUN) binary += String.fromCharCode(...bytes.subarray(at, at + RUN))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/**
 * The bytes, or `undefined` when the text is not what `toBase64url` makes of them: `atob` forgives blanks, padding and
 * stray bits.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return toBase64url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Bytes as base64, on any platform. */
import { fromBase64url, toBase64url } from '../../jsonrpc/index.ts'

/** Longest run that is handed to `String.fromCharCode` at once: arguments live on the stack. */
const RUN = 0x8000

export function toBase64(bytes: Uint8Array): string {
  // Newer runtimes do it natively and many times faster.
  const native = (bytes as { toBase64?: () => string }).toBase64
  if (typeof native === 'function') return native.call(bytes)
  let binary = ''
  for (let at = 0; at < bytes.length; at += RUN) binary += String.fromCharCode(...bytes.subarray(at, at + RUN))
  return btoa(binary)
}

/** UTF-8 text as base64url without padding. */
export function encodeOpaque(text: string): string {
  return toBase64url(new TextEncoder().encode(text))
}

/** The text, or `undefined` when it was not made by `encodeOpaque`. */
export function decodeOpaque(opaque: string): string | undefined {
  const bytes = fromBase64url(opaque)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

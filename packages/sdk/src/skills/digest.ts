/** The digests of files in entries of skills. */
import { sha256 } from '../versions/index.ts'

export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await hexOf(bytes)}`
}

/** Web pages without TLS have no `crypto.subtle`. */
async function hexOf(bytes: Uint8Array): Promise<string> {
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle
  if (subtle === undefined) return sha256(bytes)
  const digest = await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

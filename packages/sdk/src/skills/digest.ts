/** Digests of files, as entries of skills have them. */
import { sha256 } from '../versions/index.ts'

export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await hexOf(bytes)}`
}

/** Pages that were not loaded over TLS have no digests of the platform. */
async function hexOf(bytes: Uint8Array): Promise<string> {
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle
  if (subtle === undefined) return sha256(bytes)
  const digest = await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

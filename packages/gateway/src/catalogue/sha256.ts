/** SHA-256 digests. */
import { createHash } from 'node:crypto'

export function sha256(text: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(text).digest()
}

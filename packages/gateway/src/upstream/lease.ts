/** A conversation for one request. */
import type { Line } from './line.ts'

export interface Lease {
  readonly line: Line
  /** To be given back to the client, so that its next request gets the same conversation. */
  readonly handle: string | undefined
  release(): void
}

/** Of one that is there in any case. */
export function leaseOf(line: Line): Lease {
  line.users++
  let isReleased = false
  const release = (): void => {
    if (isReleased) return
    isReleased = true
    line.users--
  }
  return { line, handle: undefined, release }
}

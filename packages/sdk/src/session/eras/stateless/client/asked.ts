/**
 * Results that depend on what was answered on the way: nobody may take them for the answer to the same request made
 * again.
 */
import type { Body } from '../../../../jsonrpc/index.ts'

const asked = new WeakSet<Body>()

export function noteAsked(result: Body): void {
  asked.add(result)
}

/** Whether the server asked something, or had the request repeated, before it gave this result. */
export function wasAsked(result: Body): boolean {
  return asked.has(result)
}

/** Results that depend on answers to questions. They must not be cached for the same request. */
import type { Body } from '../../../../jsonrpc/index.ts'

const asked = new WeakSet<Body>()

export function noteAsked(result: Body): void {
  asked.add(result)
}

/** Whether the server asked something, or had the request repeated, before it gave this result. */
export function wasAsked(result: Body): boolean {
  return asked.has(result)
}

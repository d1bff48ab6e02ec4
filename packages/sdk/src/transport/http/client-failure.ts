/** How a link says that something went wrong with one frame only. */
import { ParleyError } from '../../errors/index.ts'
import { errorText, type LinkEvents, type RequestId } from '../../jsonrpc/index.ts'
import { MAX_CAUSES } from '../causes.ts'

/** What hooks and runtimes throw, as the error of a link. */
export function asTransportError(thrown: unknown): ParleyError {
  if (thrown instanceof ParleyError) return thrown
  return new ParleyError('transport_error', {
    message: `The HTTP request failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    cause: thrown,
  })
}

/** How runtimes say that there was nobody to send anything to. */
const NOBODY_THERE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused'])

const unsent = new WeakSet<object>()

/**
 * Notes of the failure of a POST whether its message certainly never left: told from outside, errors of a later GET
 * look the same.
 */
export function noteUnsent(error: unknown): void {
  if (error instanceof ParleyError && error.kind === 'transport_error' && foundNobody(error.cause, MAX_CAUSES))
    unsent.add(error)
}

/** Whether the message that failed with this error certainly never left. */
export function isUnsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unsent.has(error)
}

function foundNobody(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth === 0) return false
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
  // One attempt per address of a name.
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => foundNobody(each, depth - 1))
  return NOBODY_THERE.has(code) || foundNobody(cause, depth - 1)
}

/** Whoever listens without an ear for failures still gets an answer to each request. */
export function tellFailure(events: LinkEvents | undefined, request: RequestId | undefined, error: ParleyError): void {
  if (events?.failed !== undefined) events.failed(request, error)
  else if (request !== undefined) events?.frame(errorText(request, error.toWire()))
}

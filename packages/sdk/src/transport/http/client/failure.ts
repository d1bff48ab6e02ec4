/** Errors of HTTP links, and how a link reports the failure of one frame. */
import { ParleyError } from '../../../errors/index.ts'
import { errorText, type LinkEvents, type RequestId } from '../../../jsonrpc/index.ts'
import { MAX_CAUSES } from '../../causes.ts'

/** Wraps what hooks and runtimes throw. */
export function asTransportError(thrown: unknown): ParleyError {
  if (thrown instanceof ParleyError) return thrown
  return new ParleyError('transport_error', {
    message: `The HTTP request failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    cause: thrown,
  })
}

/** The codes of runtimes for a failed connection attempt. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ConnectionRefused'])

/** The failure of a POST whose message was certainly not sent. */
class UnsentError extends ParleyError {}

/** Marks the failure of a POST if its message was not sent. The error of a later GET would look the same. */
export function postFailure(error: unknown): unknown {
  if (!(error instanceof ParleyError) || error.kind !== 'transport_error') return error
  const { message, cause, data } = error
  return isNotConnected(cause, MAX_CAUSES)
    ? new UnsentError(error.kind, { message, cause, ...(data && { data }) })
    : error
}

/** Whether the message that failed with this error was certainly not sent. */
export function isUnsent(error: unknown): boolean {
  return error instanceof UnsentError
}

function isNotConnected(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth === 0) return false
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
  // One attempt for each address of the host.
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isNotConnected(each, depth - 1))
  return NOT_CONNECTED.has(code) || isNotConnected(cause, depth - 1)
}

/** Without a `failed` listener, each request is answered with the error. */
export function tellFailure(events: LinkEvents | undefined, request: RequestId | undefined, error: ParleyError): void {
  if (events?.failed !== undefined) events.failed(request, error)
  else if (request !== undefined) events?.frame(errorText(request, error.toWire()))
}

/** How a link says that something went wrong with one frame only. */
import { ParleyError } from '../../errors/index.ts'
import { errorText, type LinkEvents, type RequestId } from '../../jsonrpc/index.ts'

/** What hooks and runtimes throw, as the error of a link. */
export function asTransportError(thrown: unknown): ParleyError {
  if (thrown instanceof ParleyError) return thrown
  return new ParleyError('transport_error', { message: `The HTTP request failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`, cause: thrown })
}

/** Whoever listens without an ear for failures still gets an answer to each request. */
export function tellFailure(events: LinkEvents | undefined, request: RequestId | undefined, error: ParleyError): void {
  if (events?.failed !== undefined) events.failed(request, error)
  else if (request !== undefined) events?.frame(errorText(request, error.toWire()))
}

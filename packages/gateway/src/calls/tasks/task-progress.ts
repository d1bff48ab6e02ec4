/** Progress of calls that run as tasks of the extension (D7). These tasks report only a status message. */
import type { Loss } from 'parley-mcp'
import { StatusProgress } from 'parley-mcp/engine'
import { type Call, conversationOf } from '../call.ts'
import { wantsProgress } from '../client-questions.ts'

const STATUS_ONLY: Loss = {
  rule: 'D-21',
  method: 'tools/call',
  path: '_meta.progressToken',
  severity: 'w',
  detail: 'the call runs as a task, which says in words alone how far it is',
}

/** Reports the status as progress. A client that did not ask for progress sees the status of its task only. */
export function progressOf(call: Call): StatusProgress {
  return new StatusProgress(
    ({ progress, total, message, more }) => call.progress(progress, total, message, more),
    (error) => call.session.reportError(error, 'progress of a task'),
  )
}

/** Reports the loss to a client that asked for progress, and to the observers of the gateway (X2). */
export function loseProgress(call: Call): void {
  if (!wantsProgress(call)) return
  call.lose(STATUS_ONLY)
  conversationOf(call).client.session.reportLosses([STATUS_ONLY])
}

/**
 * Progress of calls that run as tasks of the extension: tasks have none there, so their words are told, and that there
 * is no more (D7).
 */
import type { Loss } from 'parley-mcp'
import { StatusProgress } from 'parley-mcp/engine'
import { type Call, conversationOf, wantsProgress } from '../call.ts'

const WORDS_ALONE: Loss = {
  rule: 'D-21',
  method: 'tools/call',
  path: '_meta.progressToken',
  severity: 'w',
  detail: 'the call runs as a task, which says in words alone how far it is',
}

/** Nobody hears it who did not ask for it; but a task that the client knows of has its words. */
export function progressOf(call: Call): StatusProgress {
  return new StatusProgress(
    ({ progress, total, message, more }) => call.progress(progress, total, message, more),
    (error) => call.session.reportError(error, 'progress of a task'),
  )
}

/** Says so to who asked for progress, and to whoever observes the gateway (X2). */
export function loseProgress(call: Call): void {
  if (!wantsProgress(call)) return
  call.lose(WORDS_ALONE)
  conversationOf(call).client.session.reportLosses([WORDS_ALONE])
}

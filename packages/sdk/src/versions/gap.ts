/** Refusals that a version gap makes necessary, reported like any other loss. */
import type { EditContext } from './operation.ts'
import { refuse, type Verdict } from './verdict.ts'

/** The sender of a request gets the error that the version of the receiver has no form for it. */
export function refuseRequest(context: EditContext, message: string, rule: string): Verdict {
  context.lose(message, { severity: 'E', rule })
  return refuse('version_gap', message)
}

/** A result that cannot be shown becomes an error for the caller. */
export function refuseResult(context: EditContext, message: string, rule: string): Verdict {
  context.lose(message, { severity: 'E', rule })
  return refuse('translation_failed', message)
}

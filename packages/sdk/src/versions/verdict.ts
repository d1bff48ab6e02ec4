/** Outcomes of a translation other than a translated message. */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'

/**
 * - `refuse`: the sender of a request is answered with `error`; a result that cannot be shown becomes `error`.
 * - `drop`: a notification is swallowed.
 * - `result`: an error is shown to the receiver as a result.
 */
export type Verdict =
  | { readonly verdict: 'refuse'; readonly error: ParleyError }
  | { readonly verdict: 'drop'; readonly reason: string }
  | { readonly verdict: 'result'; readonly result: Body }

class VerdictValue {
  readonly verdict: string
  readonly error?: ParleyError
  readonly reason?: string
  readonly result?: Body
  constructor(fields: Verdict) {
    this.verdict = fields.verdict
    Object.assign(this, fields)
  }
}

export function refuse(kind: ErrorKind, message: string, data?: Record<string, unknown>): Verdict {
  return new VerdictValue({
    verdict: 'refuse',
    error: new ParleyError(kind, data === undefined ? { message } : { message, data }),
  }) as Verdict
}

export function drop(reason: string): Verdict {
  return new VerdictValue({ verdict: 'drop', reason }) as Verdict
}

export function becomeResult(result: Body): Verdict {
  return new VerdictValue({ verdict: 'result', result }) as Verdict
}

export function isVerdict(value: unknown): value is Verdict {
  return value instanceof VerdictValue
}

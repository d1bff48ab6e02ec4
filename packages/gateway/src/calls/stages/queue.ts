/** The stage that limits how many calls to one server run at a time. A call waits for a slot in the bulkhead. */
import type { Answer, Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

export const queue: Stage<Call> = (call, next) => {
  const { bulkhead } = call.site.upstream
  // Only calls that wait need a signal, which is created when it is first read.
  const waiting = bulkhead.full ? { signal: call.signal } : undefined
  return bulkhead.run((slot) => {
    call.begin(slot)
    return next(call) as Promise<Answer>
  }, waiting)
}

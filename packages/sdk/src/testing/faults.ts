/** Links that misbehave on demand. */
import type { Link, LinkEvents, SendOptions } from '../jsonrpc/index.ts'
import { type Clock, systemClock } from '../session/index.ts'

export type Fault = 'drop' | 'duplicate' | 'corrupt' | { readonly delay: number }

/** What befalls the frame with this number, counted from 0 in each direction; nothing for `undefined`. */
export type FaultPlan = (frame: string, index: number, direction: 'sent' | 'received') => Fault | undefined

/** A link that passes frames on as the plan says. A delayed frame is overtaken by those behind it. */
export function faulty(link: Link, plan: FaultPlan, clock: Clock = systemClock): Link {
  let sent = 0
  let closed = false
  const pass = (fault: Fault | undefined, frame: string, deliver: (frame: string) => void): void => {
    if (fault === 'drop') return
    if (typeof fault === 'object') {
      clock.after(fault.delay, () => {
        if (!closed) deliver(frame)
      })
      return
    }
    deliver(fault === 'corrupt' ? corrupted(frame) : frame)
    if (fault === 'duplicate') deliver(frame)
  }
  return {
    transport: link.transport,
    open(events: LinkEvents): void {
      let received = 0
      link.open({
        frame: (frame) => pass(plan(frame, received++, 'received'), frame, (passed) => events.frame(passed)),
        closed: (reason) => {
          closed = true
          events.closed(reason)
        },
      })
    },
    send(frame: string, options?: SendOptions): void {
      pass(plan(frame, sent++, 'sent'), frame, (passed) => link.send(passed, options))
    },
    close(): void {
      closed = true
      link.close()
    },
  }
}

/** Half a message is no JSON. */
function corrupted(frame: string): string {
  return frame.slice(0, Math.max(1, frame.length >> 1))
}

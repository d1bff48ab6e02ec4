/** Hangs up on a client that has asked for nothing in a long time. */
import type { Session } from '../../session/index.ts'

/** Idleness is looked at this many times per time-out: it ends between one time-out and a quarter more. */
const LOOKS = 4

export function watchIdle(session: Session, timeout: number): void {
  const { clock } = session
  let seen = workOf(session)
  let idleLooks = 0
  let cancel = clock.after(timeout / LOOKS, look)
  session.onClose(() => cancel())

  function look(): void {
    const now = workOf(session)
    const busy = now !== seen || session.inFlight().length > 0
    seen = now
    idleLooks = busy ? 0 : idleLooks + 1
    if (idleLooks >= LOOKS) void session.close()
    else cancel = clock.after(timeout / LOOKS, look)
  }
}

/** Everything that went through but the pings of the keep-alive. */
function workOf(session: Session): number {
  let count = 0
  for (const [method, { sent, received }] of Object.entries(session.stats().methods))
    if (method !== 'ping') count += sent + received
  return count
}

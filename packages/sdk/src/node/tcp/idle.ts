/** Closes the session of an idle client. */
import type { Session } from '../../session/index.ts'

/** Checks per time-out. The session ends after the time-out, or up to a quarter of it later. */
const CHECKS_PER_TIMEOUT = 4

export function watchIdle(session: Session, timeout: number): void {
  const { clock } = session
  let seen = messageCount(session)
  let idleChecks = 0
  let cancel = clock.after(timeout / CHECKS_PER_TIMEOUT, check)
  session.onClose(() => cancel())

  function check(): void {
    const now = messageCount(session)
    const busy = now !== seen || session.inFlight().length > 0
    seen = now
    idleChecks = busy ? 0 : idleChecks + 1
    if (idleChecks >= CHECKS_PER_TIMEOUT) void session.close()
    else cancel = clock.after(timeout / CHECKS_PER_TIMEOUT, check)
  }
}

/** The number of messages without pings. */
function messageCount(session: Session): number {
  let count = 0
  for (const [method, { sent, received }] of Object.entries(session.stats().methods))
    if (method !== 'ping') count += sent + received
  return count
}

/** Whether a session waits for nobody but its own peer. */
import type { SessionView } from '../session-view.ts'

/** When the peer was last asked something that it has not answered. */
export function lastAskedAt(session: Pick<SessionView, 'pending'>): number {
  return Math.max(0, ...session.pending().map(({ startedAt }) => startedAt))
}

/** Every request that is being answered waits for the peer that made it, which was asked about the request. */
export function awaitsPeer(session: Pick<SessionView, 'inFlight' | 'pending'>): boolean {
  const answering = session.inFlight()
  if (answering.length === 0) return false
  const asked = new Set(session.pending().map(({ relatedTo }) => relatedTo))
  return answering.every(({ id }) => asked.has(id))
}

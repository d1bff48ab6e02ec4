/** Whether all requests of a session wait for its own peer. */
import type { SessionView } from '../session-view.ts'

/** When the last open request to the peer was made. */
export function lastAskedAt(session: Pick<SessionView, 'pending'>): number {
  return Math.max(0, ...session.pending().map(({ startedAt }) => startedAt))
}

/** Whether each request of the peer waits for an answer of the peer. */
export function awaitsPeer(session: Pick<SessionView, 'inFlight' | 'pending'>): boolean {
  const answering = session.inFlight()
  if (answering.length === 0) return false
  const asked = new Set(session.pending().map(({ relatedTo }) => relatedTo))
  return answering.every(({ id }) => asked.has(id))
}

/** How busy a server is, over all its conversations (L7). */
import { systemClock } from '../session/index.ts'
import type { ServerState } from './state.ts'

export interface ServerHealth {
  /** Conversations whose handshake is complete. */
  readonly sessions: number
  /** Conversations that have not come so far, are ending, or are of the stateless era and have no handshake. */
  readonly others: number
  /** Requests of clients that are being answered. */
  readonly inFlight: number
  /** Requests to clients that wait for their answer. */
  readonly pending: number
  /** The request that has been in the works longest; those that listen are none, they wait for nothing. */
  readonly oldest: { readonly method: string; readonly ageMs: number } | undefined
  readonly subscriptions: number
  /** About how many bytes are kept because of clients; `memory.total` is the most. */
  readonly keptBytes: number
  readonly paused: boolean
}

export function healthOf(state: ServerState): ServerHealth {
  const sessions = [...state.conversations].flatMap(({ session }) => session ?? [])
  const inFlight = sessions.flatMap((session) => session.inFlight())
  const [oldest] = inFlight
    .filter(({ method }) => method !== 'subscriptions/listen')
    .sort((one, other) => one.startedAt - other.startedAt)
  const { clock = systemClock } = state.options
  const open = sessions.filter((session) => session.open).length
  return {
    sessions: open,
    others: state.conversations.size - open,
    inFlight: inFlight.length,
    pending: sessions.reduce((sum, session) => sum + session.pending().length, 0),
    oldest: oldest === undefined ? undefined : { method: oldest.method, ageMs: clock.now() - oldest.startedAt },
    subscriptions: state.subscriptions.count() + state.listeners.resources,
    keptBytes: state.budgets.total.used,
    paused: state.paused,
  }
}

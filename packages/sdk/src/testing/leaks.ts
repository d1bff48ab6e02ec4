/** Looks for what a conversation should not leave behind. */
import type { Client } from '../client/index.ts'
import type { Session } from '../session/index.ts'
import type { FakeClock } from './clock.ts'

/** Whatever the tools of the client are. */
type AnyClient = Pick<Client, 'session' | 'subscriptions'>

type Suspect = AnyClient | Session | FakeClock

/** One line for each thing left over; empty when all is clean. */
export function leaks(...suspects: readonly Suspect[]): string[] {
  return suspects.flatMap((suspect) => {
    if ('subscriptions' in suspect)
      return [...leaksOf(suspect.session), ...suspect.subscriptions().map((uri) => `client still subscribes to ${uri}`)]
    if ('advance' in suspect)
      return suspect.pending === 0
        ? []
        : [`clock has ${suspect.pending} timer${suspect.pending === 1 ? '' : 's'} waiting`]
    return leaksOf(suspect)
  })
}

function leaksOf(session: Session): string[] {
  return [
    ...session.pending().map(({ id, method }) => `${session.role} still waits for the answer to ${method} #${id}`),
    ...session.inFlight().map(({ id, method }) => `${session.role} still answers ${method} #${id}`),
  ]
}

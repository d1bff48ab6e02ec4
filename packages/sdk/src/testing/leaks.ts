/** Finds requests, subscriptions and timers that a test left open. */
import type { Client } from '../client/index.ts'
import type { Session } from '../session/index.ts'
import type { FakeClock } from './clock.ts'

/** A client with any tools. */
type AnyClient = Pick<Client, 'session' | 'subscriptions'>

type Checked = AnyClient | Session | FakeClock

/** Returns one line for each leak. */
export function leaks(...checked: readonly Checked[]): string[] {
  return checked.flatMap((each) => {
    if ('subscriptions' in each)
      return [...leaksOf(each.session), ...each.subscriptions().map((uri) => `client still subscribes to ${uri}`)]
    if ('advance' in each)
      return each.pending === 0 ? [] : [`clock has ${each.pending} timer${each.pending === 1 ? '' : 's'} waiting`]
    return leaksOf(each)
  })
}

function leaksOf(session: Session): string[] {
  return [
    ...session.pending().map(({ id, method }) => `${session.role} still waits for the answer to ${method} #${id}`),
    ...session.inFlight().map(({ id, method }) => `${session.role} still answers ${method} #${id}`),
  ]
}

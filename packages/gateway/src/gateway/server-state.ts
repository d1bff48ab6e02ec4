/** Whether a server can be used, in one answer for the probe, the page and the metric. */
import type { ServerState } from '../http/index.ts'
import type { UpstreamState } from '../supervision/index.ts'
import type { Upstream } from '../upstream/index.ts'

interface Known {
  readonly isReached: boolean
  readonly hasFailed: boolean
}

/**
 * One that was reached before is back as soon as it is started; of one that never was, nobody knows whether it answers.
 */
const READY: Readonly<Record<UpstreamState, (known: Known) => boolean>> = {
  running: () => true,
  starting: ({ isReached }) => isReached,
  idle: ({ isReached, hasFailed }) => isReached || !hasFailed,
  restarting: () => false,
  down: () => false,
  stopped: () => false,
}

export function serverState(upstream: Upstream): ServerState {
  const { state, lastError } = upstream.status()
  const ready = READY[state]({ isReached: upstream.introduction !== undefined, hasFailed: lastError !== undefined })
  const detail = ready ? upstream.version : (lastError ?? DETAILS[state])
  return { name: upstream.name, state, ready, ...(detail === undefined ? {} : { detail }) }
}

/** Where nothing has gone wrong yet. */
const DETAILS: Partial<Readonly<Record<UpstreamState, string>>> = { starting: 'starting: it has not answered yet' }

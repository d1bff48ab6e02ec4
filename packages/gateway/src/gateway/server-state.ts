/** Whether a server can be used: one answer for the probe, the page and the metric. */
import type { ServerState } from '../http/index.ts'
import type { UpstreamState } from '../supervision/index.ts'
import type { Upstream } from '../upstream/index.ts'

interface Known {
  readonly isReached: boolean
  readonly hasFailed: boolean
}

/**
 * A server that was reached before is ready as soon as it starts. A server that was never reached may not answer.
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

/** The detail for a server without an error. */
const DETAILS: Partial<Readonly<Record<UpstreamState, string>>> = { starting: 'starting: it has not answered yet' }

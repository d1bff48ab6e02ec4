/**
 * Starts a server again that is meant to run without a client: after each failure, at the time that its supervisor
 * allows.
 */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { Upstream } from './upstream.ts'

/** Another attempt would fail as well, and may lock an account. */
const HOPELESS: ReadonlySet<unknown> = new Set<ErrorKind>(['unauthorized', 'forbidden'])

/** In milliseconds. An attempt may be refused at once, because another one is under way. */
const SHORTEST_PAUSE = 1000

/** The returned function ends it. A server with the policy `temporary` is never started again. */
export function keepRunning(upstream: Upstream): () => void {
  const { supervisor, clock, config } = upstream
  if (config.restart.policy === 'temporary') return () => {}
  let cancel: (() => void) | undefined
  let isHopeless = false
  const attempt = (): void => {
    cancel = undefined
    // One that is open already reconnects by itself.
    upstream.gatewayConversation().catch((error: unknown) => {
      if (error instanceof ParleyError)
        isHopeless = HOPELESS.has(error.kind) || HOPELESS.has(error.data?.['originalKind'])
      plan(SHORTEST_PAUSE)
    })
  }
  const plan = (shortest = 0): void => {
    cancel?.()
    cancel = undefined
    const { state, nextAttemptAt } = supervisor.status()
    if (state === 'running') isHopeless = false
    if (isHopeless || (state !== 'restarting' && state !== 'down')) return
    const pause = nextAttemptAt === undefined ? 0 : nextAttemptAt - clock.now()
    cancel = clock.after(Math.max(pause, shortest), attempt)
  }
  const stopListening = supervisor.onStatus(() => plan())
  return () => {
    stopListening()
    cancel?.()
  }
}

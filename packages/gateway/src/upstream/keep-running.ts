/** Restarts a server that must run without clients, after each failure and when its supervisor allows it. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { Upstream } from './upstream.ts'

/** Errors after which another attempt would fail as well, and could lock an account. */
const FINAL_ERRORS: ReadonlySet<unknown> = new Set<ErrorKind>(['unauthorized', 'forbidden'])

/** An attempt fails at once while another one is in progress. The next one waits at least so long, in milliseconds. */
const MIN_PAUSE_MS = 1000

/** Runs until the returned function is called. A server with the policy `temporary` is never restarted. */
export function keepRunning(upstream: Upstream): () => void {
  const { supervisor, clock, config } = upstream
  if (config.restart.policy === 'temporary') return () => {}
  let cancel: (() => void) | undefined
  let isFinal = false
  const attempt = (): void => {
    cancel = undefined
    // An open conversation reconnects by itself.
    upstream.gatewayConversation().catch((error: unknown) => {
      if (error instanceof ParleyError)
        isFinal = FINAL_ERRORS.has(error.kind) || FINAL_ERRORS.has(error.data?.['originalKind'])
      plan(MIN_PAUSE_MS)
    })
  }
  const plan = (shortest = 0): void => {
    cancel?.()
    cancel = undefined
    const { state, nextAttemptAt } = supervisor.status()
    if (state === 'running') isFinal = false
    if (isFinal || (state !== 'restarting' && state !== 'down')) return
    const pause = nextAttemptAt === undefined ? 0 : nextAttemptAt - clock.now()
    cancel = clock.after(Math.max(pause, shortest), attempt)
  }
  const stopListening = supervisor.onStatus(() => plan())
  return () => {
    stopListening()
    cancel?.()
  }
}

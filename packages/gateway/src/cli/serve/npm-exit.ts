/** Notices that npm has ended. npm signals only the shell that it started, and many shells do not pass signals on. */
import type { Clock } from 'parley-mcp/engine'

/** How often to look, in milliseconds. */
const INTERVAL = 250

export interface NpmExitOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The id of the parent process now. */
  readonly parent: () => number
  readonly clock: Clock
}

/**
 * Calls the listener once when the parent process has changed. Checks only if npm or npx started this
 * program.
 */
export function onNpmExit(listener: () => void, { env, parent, clock }: NpmExitOptions): () => void {
  if (env['npm_command'] === undefined && env['npm_lifecycle_event'] === undefined) return () => {}
  const first = parent()
  let stop = (): void => {}
  const look = (): void => {
    stop = clock.after(INTERVAL, () => (parent() === first ? look() : listener()))
  }
  look()
  return () => stop()
}

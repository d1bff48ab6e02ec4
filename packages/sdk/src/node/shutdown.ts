/** Shuts a process down: accept nothing new, finish running requests, persist, then exit (L8). */
import {
  type Clock,
  type CloseOptions,
  type Duration,
  type Introduction,
  milliseconds,
  type PhaseRecord,
  type Session,
  systemClock,
} from '../session/index.ts'

/** A server, a client, or the result of a serve function. */
export interface Closable {
  close(options?: CloseOptions): unknown
  readonly session?: Session
  readonly sessions?: readonly Session[] | number
}

/** The record of a session. */
export interface SessionRecord {
  readonly id: string
  readonly transport: string
  readonly version: string | undefined
  readonly peer: Introduction | undefined
  readonly history: readonly PhaseRecord[]
}

export interface ShutdownOptions {
  /** How long running requests may take. Default 10 s. */
  drain?: Duration
  /** Default SIGTERM and SIGINT. */
  signals?: readonly NodeJS.Signals[]
  /** Called when everything is closed, before the process ends, with the records of all sessions. */
  onPersist?: (sessions: readonly SessionRecord[]) => unknown
  /** Gets errors of the shutdown. Default: standard error. */
  onError?: (error: unknown) => void
  /** Replaces `process.exit`. */
  exit?: (code: number) => void
  clock?: Clock
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']
/** The usual exit code of a process that a signal has ended. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 }
/** How long closing and `onPersist` may take beyond the time for running requests. */
const EXTRA_TIME_MS = 5000

/**
 * The first signal shuts down with exit code 0. The second ends the process at once. Returns a function to stop
 * listening.
 */
export function closeOnSignals(closables: Closable | readonly Closable[], options: ShutdownOptions = {}): () => void {
  const { signals = SIGNALS, exit = (code) => process.exit(code) } = options
  const all = Array.isArray(closables) ? (closables as readonly Closable[]) : [closables as Closable]
  let asked = false
  const listener = (signal: NodeJS.Signals): void => {
    if (asked) return exit(EXIT_CODES[signal] ?? 1)
    asked = true
    void shutDown(all, options).then(exit)
  }
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/** Returns the exit code: 0, or 1 after an error. */
async function shutDown(closables: readonly Closable[], options: ShutdownOptions): Promise<number> {
  const { onPersist, onError = logToStderr, clock = systemClock } = options
  const drain = milliseconds(options.drain ?? '10s')
  let failed = false
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step()
    } catch (error) {
      failed = true
      onError(error)
    }
  }
  const inOrder = async (): Promise<void> => {
    const sessions = [...new Set(closables.flatMap(sessionsOf))]
    await Promise.all(closables.map((closable) => attempt(() => closable.close({ drain }))))
    if (onPersist !== undefined) await attempt(() => onPersist(sessions.map(recordOf)))
  }
  let cancel: () => void = () => {}
  const tooLong = new Promise<void>((resolve) => {
    // The timer keeps the process alive, so that it can end it.
    cancel = clock.after(
      drain + EXTRA_TIME_MS,
      () => resolve(attempt(() => Promise.reject(new Error(`Not closed within ${drain + EXTRA_TIME_MS} ms`)))),
      true,
    )
  })
  await Promise.race([inOrder(), tooLong])
  cancel()
  return failed ? 1 : 0
}

function sessionsOf({ session, sessions }: Closable): readonly Session[] {
  const many = typeof sessions === 'object' ? sessions : []
  return session !== undefined ? [session, ...many] : many
}

function recordOf({ id, transport, version, peer, history }: Session): SessionRecord {
  return { id, transport, version, peer, history: [...history] }
}

function logToStderr(error: unknown): void {
  process.stderr.write(`Closing failed: ${error instanceof Error ? error.message : String(error)}\n`)
}

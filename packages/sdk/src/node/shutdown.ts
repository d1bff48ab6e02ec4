/** Ends a served process well: nothing new, what runs may finish, what must be remembered is, and then the end (L8). */
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

/** What a serve function gives, a server, a client: anything that knows how to end. */
export interface Closable {
  close(options?: CloseOptions): unknown
  readonly session?: Session
  readonly sessions?: readonly Session[] | number
}

/** What there is to remember of a conversation. */
export interface SessionRecord {
  readonly id: string
  readonly transport: string
  readonly version: string | undefined
  readonly peer: Introduction | undefined
  readonly history: readonly PhaseRecord[]
}

export interface ShutdownOptions {
  /** How long requests being answered may take to finish. Default 10 s. */
  drain?: Duration
  /** Default SIGTERM and SIGINT. */
  signals?: readonly NodeJS.Signals[]
  /** Called when everything is answered and closed, before the process ends, with the conversations there were. */
  onPersist?: (sessions: readonly SessionRecord[]) => unknown
  /** Told what went wrong meanwhile. Default: standard error. */
  onError?: (error: unknown) => void
  /** Instead of `process.exit`. */
  exit?: (code: number) => void
  clock?: Clock
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']
/** The usual exit code of a process that a signal has ended. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 }
/** How long closing and `onPersist` may take beyond the time for running requests. */
const GRACE_MS = 5000

/**
 * The first signal ends everything gracefully, exit code 0; the second ends the process at once. Returns how to stop
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

/** Gives the exit code: 0, or 1 when something could not be ended well. */
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
    // Held: it is what ends a process that something else keeps alive.
    cancel = clock.after(
      drain + GRACE_MS,
      () => resolve(attempt(() => Promise.reject(new Error(`Not closed within ${drain + GRACE_MS} ms`)))),
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

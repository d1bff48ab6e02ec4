/** Names the servers that delay the shutdown, for a user who waits for it. */
import type { Clock } from 'parley-mcp/engine'

/** No notice before this time, in milliseconds. */
const FIRST_NOTICE_MS = 500
/** Limit for requests and for processes, in milliseconds. */
const NOTICE_INTERVAL_MS = 5000

export interface ShutdownNoticeOptions {
  /** Names of the servers that delay the shutdown. */
  readonly awaited: () => readonly string[]
  readonly say: (words: string) => void
  readonly clock: Clock
}

export async function announceShutdown(
  ending: Promise<void>,
  { awaited, say, clock }: ShutdownNoticeOptions,
): Promise<void> {
  let stop = (): void => {}
  const sayAfter = (ms: number): void => {
    stop = clock.after(ms, () => {
      say(
        `waiting for ${awaited().join(', ') || 'clients'} (up to ${NOTICE_INTERVAL_MS / 1000} s); Ctrl-C again ends at once`,
      )
      sayAfter(NOTICE_INTERVAL_MS)
    })
  }
  sayAfter(FIRST_NOTICE_MS)
  try {
    await ending
  } finally {
    stop()
  }
}

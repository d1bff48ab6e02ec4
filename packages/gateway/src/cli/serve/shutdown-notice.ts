/** Says what an end waits for, to whoever has told the program to end and sees nothing happen. */
import type { Clock } from 'parley-mcp/engine'

/** Nobody wonders about less, in milliseconds. */
const FIRST_NOTICE_MS = 500
/** Neither requests nor processes are given longer. */
const NOTICE_INTERVAL_MS = 5000

export interface ShutdownNoticeOptions {
  /** Names of the servers that are waited for. */
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

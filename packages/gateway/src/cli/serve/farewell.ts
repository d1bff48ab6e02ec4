/** Says what an end waits for, to whoever has told the program to end and sees nothing happen. */
import type { Clock } from 'parley-mcp/engine'

/** Nobody wonders about less, in milliseconds. */
const SOON = 500
/** Neither requests nor processes are given longer. */
const STEP = 5000

export interface FarewellOptions {
  /** Names of the servers that are waited for. */
  readonly awaited: () => readonly string[]
  readonly say: (words: string) => void
  readonly clock: Clock
}

export async function farewell(ending: Promise<void>, { awaited, say, clock }: FarewellOptions): Promise<void> {
  let stop = (): void => {}
  const sayAfter = (ms: number): void => {
    stop = clock.after(ms, () => {
      say(`waiting for ${awaited().join(', ') || 'clients'} (up to ${STEP / 1000} s); Ctrl-C again ends at once`)
      sayAfter(STEP)
    })
  }
  sayAfter(SOON)
  try {
    await ending
  } finally {
    stop()
  }
}

/** Delays before an upstream is restarted, and the cool-downs after it was given up. */
import { Backoff } from 'parley-mcp/engine'

/** Before each restart in a row, in milliseconds. The first restart is immediate. */
export const RESTART_DELAYS: readonly number[] = [0, 1000, 2000, 4000, 8000, 16_000, 30_000]

export const FIRST_COOL_DOWN = 30_000
export const LONGEST_COOL_DOWN = 600_000

const restarts = new Backoff(RESTART_DELAYS, 0.2)
const coolDowns = Backoff.doubling(FIRST_COOL_DOWN, LONGEST_COOL_DOWN)

/** Milliseconds before the restart with this number, counted from 0. `chance` in [0, 1) adds up to a fifth. */
export function restartDelay(restart: number, chance: number): number {
  return restarts.delayBefore(restart, chance)
}

/** Milliseconds of the cool-down with this number, counted from 0. */
export function coolDown(number: number): number {
  return coolDowns.delayBefore(number)
}

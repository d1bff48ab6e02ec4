/** How long to wait before something is tried again: ever longer, up to a limit, and never for everybody at the same moment. */

/** Before each restart in a row, in milliseconds: what ran well so far is back at once. */
export const RESTART_DELAYS: readonly number[] = [0, 1000, 2000, 4000, 8000, 16_000, 30_000]

export const FIRST_COOL_DOWN = 30_000
export const LONGEST_COOL_DOWN = 600_000

const JITTER = 0.2

/** Milliseconds before the restart with this number, counted from 0. `chance` in [0, 1) adds up to a fifth. */
export function restartDelay(restart: number, chance: number): number {
  const delay = RESTART_DELAYS[Math.min(restart, RESTART_DELAYS.length - 1)] as number
  return Math.round(delay * (1 + JITTER * chance))
}

/** How long the cool-down with this number lasts, counted from 0. */
export function coolDown(number: number): number {
  return Math.min(FIRST_COOL_DOWN * 2 ** number, LONGEST_COOL_DOWN)
}

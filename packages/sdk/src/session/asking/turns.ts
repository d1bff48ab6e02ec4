/** How long a handler is given to ask all it wants to know at once. */

/** Turns of the microtask queue: enough for questions that are asked in one go, before any of them is waited for. */
const TURNS = 6

/** Runs when whoever works now has had its turns. */
export function afterTurns(run: () => void, turns = TURNS): void {
  queueMicrotask(turns === 0 ? run : () => afterTurns(run, turns - 1))
}

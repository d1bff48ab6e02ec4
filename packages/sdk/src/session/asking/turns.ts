/** How long a handler may take to ask all its questions at once. */

/** Turns of the microtask queue. Enough for questions that are asked together, before the handler waits for one. */
const TURNS = 6

/** Runs after the code that runs now has had its turns. */
export function afterTurns(run: () => void, turns = TURNS): void {
  queueMicrotask(turns === 0 ? run : () => afterTurns(run, turns - 1))
}

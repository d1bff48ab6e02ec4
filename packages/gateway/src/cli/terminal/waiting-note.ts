/** A note for the user at a terminal while a server is slow. */

import { coloursFor } from './colours.ts'
import type { CliIo } from './io.ts'
import { elapsed, printable } from './text.ts'

const SILENCE_MS = 2000

export interface WaitingNote {
  /** Cancels the note. */
  stop(): void
}

/** `most`: the longest wait, in milliseconds. Writes nothing if standard error is not a terminal. */
export function waitingNote({ stderr, env }: CliIo, what: string, most: number): WaitingNote {
  if (stderr.isTTY !== true) return { stop: () => {} }
  const words = `waiting for ${printable(what)}, for ${elapsed(most)} at most; Ctrl-C cancels`
  const timer = setTimeout(() => stderr.write(`${coloursFor(stderr, env).dim(words)}\n`), SILENCE_MS)
  return { stop: () => clearTimeout(timer) }
}

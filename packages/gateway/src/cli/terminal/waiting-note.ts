/** A word to whoever sits at the terminal while a server takes its time. */

import { coloursFor } from './colours.ts'
import type { CliIo } from './io.ts'
import { elapsed, printable } from './text.ts'

const SILENCE_MS = 2000

export interface WaitingNote {
  /** It is over, or there is other news. */
  stop(): void
}

/** `most`: how long is waited, in milliseconds. Programs that read along are told nothing. */
export function waitingNote({ stderr, env }: CliIo, what: string, most: number): WaitingNote {
  if (stderr.isTTY !== true) return { stop: () => {} }
  const words = `waiting for ${printable(what)}, for ${elapsed(most)} at most; Ctrl-C gives up`
  const timer = setTimeout(() => stderr.write(`${coloursFor(stderr, env).dim(words)}\n`), SILENCE_MS)
  return { stop: () => clearTimeout(timer) }
}

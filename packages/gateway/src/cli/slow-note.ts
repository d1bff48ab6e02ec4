/** A word to whoever sits at the terminal while a server takes its time. */
import type { CliIo } from './io.ts'
import { paint } from './paint.ts'
import { elapsed, harmless } from './text.ts'

const SILENCE_MS = 2000

export interface SlowNote {
  /** It is over, or there is other news. */
  stop(): void
}

/** `most`: how long is waited, in milliseconds. Programs that read along are told nothing. */
export function slowNote({ stderr, env }: CliIo, what: string, most: number): SlowNote {
  if (stderr.isTTY !== true) return { stop: () => {} }
  const words = `waiting for ${harmless(what)}, for ${elapsed(most)} at most; Ctrl-C gives up`
  const timer = setTimeout(() => stderr.write(`${paint(stderr, env).dim(words)}\n`), SILENCE_MS)
  return { stop: () => clearTimeout(timer) }
}

/** The streams and the environment of a command. They are passed in, so that a test can run any command. */
export interface Writer {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export type Reader = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

export interface CliIo {
  /** Results. */
  readonly stdout: Writer
  /** Messages, progress and questions. */
  readonly stderr: Writer
  readonly stdin: Reader
  readonly env: Readonly<Record<string, string | undefined>>
  /** Calls the listener when the user interrupts the command. The returned function removes the listener. */
  onInterrupt(listener: () => void): () => void
}

/** What every command gets. */
export interface CommandContext {
  readonly io: CliIo
  /** Version of this program. */
  readonly version: string
  /** How to call this program here, for commands to copy. */
  readonly program: string
}

export function processIo(): CliIo {
  return { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, env: process.env, onInterrupt }
}

/**
 * The first signal lets the command end cleanly. The second signal exits. The listener stays until then, because without
 * a listener the first signal would end the process.
 */
function onInterrupt(listener: () => void): () => void {
  const signals = { SIGINT: 130, SIGTERM: 143 } as const
  let asked = false
  const onSignal = (signal: keyof typeof signals): void => {
    if (asked) process.exit(signals[signal])
    asked = true
    listener()
  }
  const names = Object.keys(signals) as (keyof typeof signals)[]
  for (const signal of names) process.on(signal, onSignal)
  return () => {
    for (const signal of names) process.off(signal, onSignal)
  }
}

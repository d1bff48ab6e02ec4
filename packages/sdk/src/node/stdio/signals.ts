/** The first signal ends a served process gracefully, the second at once. */

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Returns a function to stop listening. */
export function onSignals(end: () => void): () => void {
  let asked = false
  const listener = (): void => {
    if (asked) process.exit(1)
    asked = true
    end()
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

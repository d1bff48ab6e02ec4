/** Reserves standard output for frames. Other output of the process goes to standard error. */
import type { Writable } from 'node:stream'

export interface StdoutGuard {
  /** Writes to the real standard output. */
  readonly write: Writable['write']
  restore(): void
}

type Output = Pick<Writable, 'write'>

/** Also covers the console, which uses the same method. Does not cover writes to the file descriptor. */
export function guardStdout(stdout: Output = process.stdout, stderr: Writable = process.stderr): StdoutGuard {
  const wasOwn = Object.hasOwn(stdout, 'write')
  const original = stdout.write
  const redirected = ((...args: Parameters<Writable['write']>) => stderr.write(...args)) as Writable['write']
  stdout.write = redirected
  // If the parent has ended, writing to standard error fails. That must not end this process.
  stderr.on('error', ignore)
  return {
    write: original,
    restore() {
      stderr.off('error', ignore)
      // Other code has replaced `write` meanwhile. Restoring would remove its function.
      if (stdout.write !== redirected) return
      if (wasOwn) stdout.write = original
      else Reflect.deleteProperty(stdout, 'write')
    },
  }
}

function ignore(): void {}

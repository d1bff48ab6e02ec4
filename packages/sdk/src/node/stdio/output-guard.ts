/** Keeps standard output for frames: whatever else the process writes there goes to standard error meanwhile. */
import type { Writable } from 'node:stream'

export interface StdoutGuard {
  /** The way to the real standard output. */
  readonly write: Writable['write']
  restore(): void
}

type Output = Pick<Writable, 'write'>

/** The console writes through the same method, so it is covered, too; writing to the bare file descriptor is not. */
export function guardStdout(stdout: Output = process.stdout, stderr: Writable = process.stderr): StdoutGuard {
  const wasOwn = Object.hasOwn(stdout, 'write')
  const original = stdout.write
  const redirected = ((...args: Parameters<Writable['write']>) => stderr.write(...args)) as Writable['write']
  stdout.write = redirected
  // When the parent is gone so is the other end of standard error; a last word said into the void must not be fatal.
  stderr.on('error', ignore)
  return {
    write: original,
    restore() {
      stderr.off('error', ignore)
      // Somebody who came later and wraps this one would be cut off.
      if (stdout.write !== redirected) return
      if (wasOwn) stdout.write = original
      else Reflect.deleteProperty(stdout, 'write')
    },
  }
}

function ignore(): void {}

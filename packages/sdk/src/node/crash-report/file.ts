/** Writes crash reports to files. Only their owner can read them, their number is limited, and errors are ignored. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NAME = /^parley-crash-.*\.json$/

let written = 0

/**
 * Returns the path of the new file, or undefined if writing failed. Synchronous, because the process may be crashing.
 */
export function writeCrashFile(directory: string, at: number, report: object, maxFiles: number): string | undefined {
  const time = new Date(at).toISOString().replaceAll(':', '-')
  const path = join(directory, `parley-crash-${time}-${process.pid}-${++written}.json`)
  try {
    makeDirectory(directory)
    makeRoom(directory, maxFiles - 1)
    writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 })
    return path
  } catch {
    // On a full disk, half a report is useless.
    discard(path)
    return undefined
  }
}

/** One level at a time: the recursive option of Node never ends in some folders, such as /proc. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeDirectory(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

/** Names begin with the time, so the first ones are the oldest. */
function makeRoom(directory: string, keep: number): void {
  const names = readdirSync(directory).filter((name) => NAME.test(name))
  for (const name of names.sort().slice(0, Math.max(0, names.length - keep))) discard(join(directory, name))
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A file that cannot be removed stays.
  }
}

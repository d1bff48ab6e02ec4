/** Files for crash reports: readable by their owner only, few, and never a reason to fail. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const NAME = /^parley-crash-.*\.json$/

let written = 0

/**
 * The path of the new file; undefined when it could not be written. Synchronous, because a process that crashes has no
 * later.
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
    // Half a report on a full disk helps nobody and keeps it full.
    discard(path)
    return undefined
  }
}

/** Step by step: the recursive way of Node never ends in places, such as /proc, where nothing can be made. */
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

/** Their names begin with the time, so the first are the oldest. */
function makeRoom(directory: string, keep: number): void {
  const names = readdirSync(directory).filter((name) => NAME.test(name))
  for (const name of names.sort().slice(0, Math.max(0, names.length - keep))) discard(join(directory, name))
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // What cannot be removed stays.
  }
}

/** Finds out what processes are left, by a mark that children inherit in their environment. */
import { readdirSync, readFileSync } from 'node:fs'

export const MARK = 'PARLEY_TEST_MARK'

let count = 0

/** A fresh mark, for `env` of a child. */
export function mark(): string {
  return `${process.pid}-${++count}`
}

/** Ids of the running processes that carry the mark; the dead that nobody has asked after do not count. */
export function marked(value: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(`${MARK}=${value}`)).map(Number)
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** A process that has ended but was not yet collected is not alive. */
export function isAlive(pid: number): boolean {
  try {
    return process.platform === 'linux'
      ? !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      : process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits for something that no event tells of; fails with what was seen last. */
export async function until<T>(look: () => T, wanted: (seen: T) => boolean, timeout = 15_000): Promise<T> {
  const deadline = Date.now() + timeout
  for (;;) {
    const seen = look()
    if (wanted(seen)) return seen
    if (Date.now() > deadline) throw new Error(`Still not as wanted after ${timeout} ms: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits until no process carries the mark any more. */
export async function allGone(value: string, timeout?: number): Promise<void> {
  await until(
    () => marked(value),
    (left) => left.length === 0,
    timeout,
  )
}

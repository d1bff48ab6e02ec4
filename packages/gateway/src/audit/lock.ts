/**
 * One gateway per audit file. A file beside it names the writing process, and is void when that process has ended.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { AuditFileError, reasonOf } from './audit-file.ts'

/**
 * The texts of this process's locks. A process id alone does not tell two gateways of one process apart.
 */
const held = new Set<string>()
const MAX_ATTEMPTS = 5

interface Holder {
  readonly pid: number
  /** The start time of the process, where the system has it: process ids are used again. */
  readonly began: string | undefined
}

/** Resolves to the function that releases the lock. */
export async function lockFor(file: string): Promise<() => Promise<void>> {
  const path = `${file}.lock`
  const lockText = JSON.stringify({ pid: process.pid, began: await beginOf(process.pid), token: randomUUID() })
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      await writeFile(path, lockText, { flag: 'wx', mode: 0o600 })
      held.add(lockText)
      return () => release(path, lockText)
    } catch (cause) {
      if (reasonOf(cause) !== 'EEXIST')
        throw new AuditFileError(`The lock of the audit file, ${path}, cannot be written (${reasonOf(cause)})`, {
          cause,
        })
    }
    const found = await readFile(path, 'utf8').catch(() => '')
    const pid = await livingHolder(found)
    if (pid !== undefined) {
      const how = 'end that one, or give each gateway an audit file of its own'
      throw new AuditFileError(
        `The audit file ${file} is written by another gateway, process ${pid}: ${how} (if there is none, delete ${path})`,
      )
    }
    await takeAway(path, found)
  }
  throw new AuditFileError(
    `The lock of the audit file, ${path}, changes all the time: other gateways are started at this moment`,
  )
}

/** Of several gateways that find an abandoned lock, only one may replace it. */
async function takeAway(path: string, abandoned: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
    const taken = await readFile(aside, 'utf8')
    if (taken !== abandoned) await writeFile(path, taken, { flag: 'wx', mode: 0o600 })
  } catch {
    // Another process was faster. The next attempt reads its lock.
  } finally {
    await rm(aside, { force: true })
  }
}

async function release(path: string, lockText: string): Promise<void> {
  held.delete(lockText)
  const found = await readFile(path, 'utf8').catch(() => undefined)
  if (found === lockText) await rm(path, { force: true })
}

async function livingHolder(text: string): Promise<number | undefined> {
  const holder = holderIn(text)
  if (holder === undefined) return undefined
  if (holder.pid === process.pid) return held.has(text) ? holder.pid : undefined
  if (!isAlive(holder.pid)) return undefined
  const began = await beginOf(holder.pid)
  return began === holder.began ? holder.pid : undefined
}

/** Undefined also for an incomplete text, because its writer has crashed. */
function holderIn(text: string): Holder | undefined {
  try {
    const { pid, began } = JSON.parse(text) as Record<string, unknown>
    return Number.isSafeInteger(pid) && (pid as number) > 0
      ? { pid: pid as number, began: typeof began === 'string' ? began : undefined }
      : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process belongs to another user.
    return reasonOf(error) === 'EPERM'
  }
}

/** The start time of a process. Only Linux has it in a file. */
async function beginOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name of the program comes second, in brackets, and may hold anything.
  return text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .at(19)
}

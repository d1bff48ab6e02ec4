/** Ends all server processes even if the gateway is killed. A small shell process waits for the gateway's end. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { WATCHER_SCRIPT } from './watcher-script.ts'

export interface WatcherOptions {
  readonly platform?: NodeJS.Platform
  /** Path of the shell, or its name in PATH. */
  readonly shell?: string
}

/** The leader of a process group. */
export interface Leader {
  readonly pid: number
  /** Resolves when no process of the group is left. */
  readonly gone: Promise<unknown>
}

export type Warn = (message: string) => void

/** The shell may be ended by mistake and is replaced. A shell that keeps ending is not started again and again. */
const MOST_REPLACEMENTS = 5
/** A shell that does not read its input is replaced. */
const MOST_UNREAD = 64 * 1024

export class Watcher {
  readonly #platform: NodeJS.Platform
  readonly #shell: string
  readonly #leaders = new Map<number, Leader>()
  #starting = 0
  #watching: ChildProcess | undefined
  #replacements = 0
  #warned = false

  constructor({ platform = process.platform, shell = 'sh' }: WatcherOptions = {}) {
    this.#platform = platform
    this.#shell = shell
  }

  /** The watching process. Undefined while there are no processes to watch. */
  get pid(): number | undefined {
    return this.#watching?.pid
  }

  /**
   * Starts the leader of a process group and makes sure that the group does not outlive this process. Calls `warn` once
   * if that is not possible.
   */
  async watch<T extends Leader>(start: () => Promise<T>, warn: Warn): Promise<T> {
    // Windows has no process groups.
    if (this.#platform === 'win32') return await start()
    this.#starting++
    // Before the leader, so that the leader can be listed at once.
    this.#begin(warn)
    try {
      const leader = await start()
      this.#list(leader)
      return leader
    } finally {
      this.#starting--
      this.#endIfIdle()
    }
  }

  #list(leader: Leader): void {
    const { pid, gone } = leader
    this.#leaders.set(pid, leader)
    this.#tell(`+${pid}\n`)
    const forget = (): void => {
      // The system may have reused the number.
      if (this.#leaders.get(pid) !== leader) return
      this.#leaders.delete(pid)
      this.#tell(`-${pid}\n`)
      this.#endIfIdle()
    }
    gone.then(forget, forget)
  }

  #begin(warn: Warn): void {
    if (this.#watching !== undefined) return
    try {
      this.#watching = this.#spawn(warn)
    } catch (error) {
      return this.#cannot((error as Error).message, warn)
    }
    for (const pid of this.#leaders.keys()) this.#tell(`+${pid}\n`)
  }

  #spawn(warn: Warn): ChildProcess {
    const watching = spawn(this.#shell, ['-c', WATCHER_SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // In its own session, so that signals from the terminal do not reach it.
      detached: true,
      cwd: '/',
      // Only PATH, to find `sleep`. Other variables may contain secrets.
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    })
    // Neither the child nor its input may keep this process alive.
    watching.unref()
    const input = watching.stdin as Socket | null
    input?.unref()
    // The exit event tells more.
    input?.on('error', () => {})
    watching.on('error', ({ message }) => this.#lost(watching, message, warn))
    watching.on('exit', (code, signal) =>
      this.#lost(watching, `${JSON.stringify(this.#shell)} keeps ending, last with ${code ?? signal}`, warn),
    )
    return watching
  }

  #lost(watching: ChildProcess, why: string, warn: Warn): void {
    if (this.#watching !== watching) return
    this.#watching = undefined
    const replaceable = watching.pid !== undefined && this.#replacements < MOST_REPLACEMENTS
    if (!replaceable) return this.#cannot(why, warn)
    this.#replacements++
    this.#begin(warn)
  }

  /** The next start tries again: a shortage, for example of memory, may be over then. */
  #cannot(why: string, warn: Warn): void {
    if (this.#warned) return
    this.#warned = true
    warn(
      `If this process is killed, its servers may keep running, because the process that would end them cannot run: ${why}`,
    )
  }

  #tell(line: string): void {
    const input = this.#watching?.stdin
    input?.write(line)
    // The replacement gets the complete list.
    if (input && input.writableLength > MOST_UNREAD) this.#watching?.kill('SIGKILL')
  }

  #endIfIdle(): void {
    if (this.#starting > 0 || this.#leaders.size > 0) return
    this.#watching?.stdin?.end()
    this.#watching = undefined
  }
}

/** Shared by all processes that the gateway starts. */
export const watcher = new Watcher()

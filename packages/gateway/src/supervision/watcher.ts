/** Ends the processes this one has started even when it is killed and can do nothing more itself: a tiny process beside it waits for that. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { WATCHER_SCRIPT } from './watcher-script.ts'

export interface WatcherOptions {
  readonly platform?: NodeJS.Platform
  /** The shell, by its path or by a name that is looked up in PATH. */
  readonly shell?: string
}

/** The leader of a process group. */
export interface Leader {
  readonly pid: number
  /** Kept when nobody of the group is left. */
  readonly gone: Promise<unknown>
}

export type Warn = (message: string) => void

/** Somebody may end the shell by mistake; one that ends whatever is done is not started over and over. */
const MOST_REPLACEMENTS = 5
/** A shell that does not read is of no use. */
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

  /** The process that watches; there is none while there is nothing to be watched. */
  get pid(): number | undefined {
    return this.#watching?.pid
  }

  /** Has `start` start the leader of a group, which from then on does not outlive this process. `warn` is told, once, when that cannot be promised. */
  async watch<T extends Leader>(start: () => Promise<T>, warn: Warn): Promise<T> {
    // Without process groups there is nothing that could be done this way.
    if (this.#platform === 'win32') return await start()
    this.#starting++
    // Before the leader, so that no time is lost between its start and its being listed.
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
      // The number may be another's by now.
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
      // In a session of its own: what a terminal sends to this process is not meant for it.
      detached: true,
      cwd: '/',
      // Nothing of the environment but what finds `sleep`: the rest may hold secrets.
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    })
    // Neither must keep this process alive.
    watching.unref()
    const input = watching.stdin as Socket | null
    input?.unref()
    // How the shell ended says more.
    input?.on('error', () => {})
    watching.on('error', ({ message }) => this.#lost(watching, message, warn))
    watching.on('exit', (code, signal) => this.#lost(watching, `${JSON.stringify(this.#shell)} keeps ending, last with ${code ?? signal}`, warn))
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

  /** The next start tries again: what is missing now, such as memory, may not be missing then. */
  #cannot(why: string, warn: Warn): void {
    if (this.#warned) return
    this.#warned = true
    warn(`Should this process be killed, servers it has started may keep running, because what would end them cannot run: ${why}`)
  }

  #tell(line: string): void {
    const input = this.#watching?.stdin
    input?.write(line)
    // The next one is told what is true then.
    if (input && input.writableLength > MOST_UNREAD) this.#watching?.kill('SIGKILL')
  }

  #endIfIdle(): void {
    if (this.#starting > 0 || this.#leaders.size > 0) return
    this.#watching?.stdin?.end()
    this.#watching = undefined
  }
}

/** One for all that this process starts. */
export const watcher = new Watcher()

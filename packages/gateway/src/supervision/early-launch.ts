/** Starts a process before anything needs it, so that it loads while its user is still loading. */
import type { ChildLink } from 'parley-mcp/node'
import type { CommandLaunch } from './command-launch.ts'

/** Most characters kept of what it writes to standard error before somebody needs it. */
const MOST_STDERR = 64 * 1024

export class EarlyLaunch {
  readonly #launch: CommandLaunch
  /** Until it is needed. One that could not be started, or has ended, is as good as none. */
  #early: ChildLink | undefined
  #stderr = ''
  #hear: (text: string) => void = (text) => {
    this.#stderr = (this.#stderr + text).slice(-MOST_STDERR)
  }

  private constructor(launch: CommandLaunch) {
    this.#launch = launch
  }

  /** Kept when the process runs, or cannot be started. */
  static async start(launch: CommandLaunch): Promise<EarlyLaunch> {
    const early = new EarlyLaunch(launch)
    // Why it cannot be started is told when it is started for somebody.
    const link = await launch((text) => early.#hear(text)).catch(() => undefined)
    early.#early = link
    void link?.gone.then(() => early.#take())
    return early
  }

  /** A launch as a supervisor uses it: the first time it gives the process that runs already, later a new one each time. */
  readonly launch: CommandLaunch = async (onStderr) => {
    const link = this.#take()
    if (link === undefined) return await this.#launch(onStderr)
    this.#hear = onStderr
    if (this.#stderr !== '') onStderr(this.#stderr)
    return link
  }

  /** Ends the process if nothing has needed it. */
  async close(): Promise<void> {
    const link = this.#take()
    link?.close()
    await link?.gone
  }

  #take(): ChildLink | undefined {
    const early = this.#early
    this.#early = undefined
    return early
  }
}

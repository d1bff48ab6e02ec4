/** Starts a server process before it is needed, so that it loads while the gateway loads. */
import type { ChildLink } from 'parley-mcp/node'
import type { CommandLaunch } from './command-launch.ts'

/** Limit of characters kept from standard error before the first launch. */
const MOST_STDERR = 64 * 1024

export class EarlyLaunch {
  readonly #launch: CommandLaunch
  /** The process until the first launch takes it. Undefined if it could not start or has ended. */
  #early: ChildLink | undefined
  #stderr = ''
  #hear: (text: string) => void = (text) => {
    this.#stderr = (this.#stderr + text).slice(-MOST_STDERR)
  }

  private constructor(launch: CommandLaunch) {
    this.#launch = launch
  }

  /** Resolves when the process runs or could not be started. */
  static async start(launch: CommandLaunch): Promise<EarlyLaunch> {
    const early = new EarlyLaunch(launch)
    // The first launch tries again and reports the error.
    const link = await launch((text) => early.#hear(text)).catch(() => undefined)
    early.#early = link
    void link?.gone.then(() => early.#take())
    return early
  }

  /** The launch for a supervisor. The first call returns the running process; each later call starts a new one. */
  readonly launch: CommandLaunch = async (onStderr) => {
    const link = this.#take()
    if (link === undefined) return await this.#launch(onStderr)
    this.#hear = onStderr
    if (this.#stderr !== '') onStderr(this.#stderr)
    return link
  }

  /** Ends the process if no launch has taken it. */
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

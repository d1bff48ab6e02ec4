/** One run of a server: a process or a connection, from its start to its end. */
import { ParleyError } from 'parley-mcp'
import type { Clock, Link } from 'parley-mcp/engine'
import { crashError, lostConnection, startError, statusIn, unresponsive } from './failures.ts'
import { isChild, type Launch } from './launch/launch.ts'
import type { Redact } from './redaction.ts'
import type { Pass } from './restart/gate.ts'
import type { UpstreamExit } from './status.ts'
import { StderrLines } from './stderr-lines.ts'
import { WatchedLink } from './watched-link.ts'

export interface RunEnd {
  readonly abnormal: boolean
  /** The error message without the standard error of the process. */
  readonly summary: string
  readonly exit: UpstreamExit | undefined
  /** HTTP status of the answer, if the server never answered with an MCP message. */
  readonly status?: number | undefined
  /** Whether the server was reachable but did not answer. */
  readonly silent?: boolean
}

export interface RunOptions {
  readonly pass: Pass
  readonly name: string
  readonly clock: Clock
  readonly redact: Redact
  /** Whether the caller that started this run reports the failure itself. */
  readonly isExplained: () => boolean
  readonly onLine: (line: string) => void
  readonly onProved: () => void
  /** Called with an error while messages do not reach the server, and with undefined when they do again. */
  readonly onTrouble: (error: Error | undefined) => void
  /** Called when the run ended without a request from the gateway. */
  readonly onEnded: (end: RunEnd) => void
  readonly onClosed: () => void
  /** Called with a line of standard output that is not a message. */
  readonly onStray: (line: string) => void
}

/** Limit for closing a connection. */
const CLOSE_TIMEOUT_MS = 5000

export class Run {
  readonly pass: Pass
  readonly startedAt: number
  /** Resolves when the process or connection is gone. */
  readonly gone: Promise<void>
  /** Its standard error. */
  readonly lines: StderrLines
  readonly #options: RunOptions
  #raw: Link | undefined
  #link: WatchedLink | undefined
  #resolveGone: () => void = () => {}
  #endedItself = false
  #isLast = false

  constructor(options: RunOptions) {
    this.#options = options
    this.pass = options.pass
    this.startedAt = options.clock.now()
    this.lines = new StderrLines(options.redact, options.onLine)
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
  }

  /** Available after `launch`. */
  get link(): WatchedLink {
    return this.#link as WatchedLink
  }

  get pid(): number | undefined {
    return this.#raw !== undefined && isChild(this.#raw) ? this.#raw.pid : undefined
  }

  get endedItself(): boolean {
    return this.#endedItself
  }

  /** Whether its client gets no other run after this one. */
  get isLast(): boolean {
    return this.#isLast
  }

  setLast(isLast: boolean): void {
    this.#isLast = isLast
  }

  get onlyProbed(): boolean {
    return this.#link?.onlyProbed === true
  }

  async launch(launch: Launch): Promise<void> {
    const { name, redact } = this.#options
    try {
      this.#raw = await launch((text) => this.lines.push(text))
    } catch (error) {
      throw startError(name, error, redact)
    }
    this.#link = new WatchedLink(this.#raw, {
      proved: () => this.#options.onProved(),
      trouble: (error) => this.#options.onTrouble(error),
      closed: (failure) => this.#closed(failure),
      ended: (reason) => this.#ended(reason),
      silent: (reason) => this.#silent(reason),
      ...(isChild(this.#raw) && { stray: (line: string) => this.#options.onStray(line) }),
    })
    if (isChild(this.#raw)) void this.#raw.gone.then(() => this.#isGone())
  }

  /** What the process did instead of MCP, if known. */
  symptoms(): string | undefined {
    return this.#raw !== undefined && isChild(this.#raw) ? this.#raw.symptoms() : undefined
  }

  /** Marks the end as the server's own failure. Returns true if it was not marked before. */
  blame(): boolean {
    const first = !this.#endedItself
    this.#endedItself = true
    return first
  }

  #closed(failure: Error | undefined): void {
    const { name, redact, onClosed, onEnded } = this.#options
    if (this.#raw !== undefined && !isChild(this.#raw)) this.#awaitClose()
    if (failure === undefined) return onClosed()
    this.#endedItself = true
    onEnded({
      abnormal: true,
      summary: startError(name, failure, redact).message,
      exit: undefined,
      status: statusIn(failure),
    })
  }

  #silent(reason: ParleyError): void {
    const { name, redact, isExplained, onEnded } = this.#options
    if (!this.link.proved && isExplained()) return this.#closed(undefined)
    if (this.#raw !== undefined && !isChild(this.#raw)) this.#awaitClose()
    this.#endedItself = true
    const error = this.link.proved ? unresponsive(name, reason, redact) : startError(name, reason, redact)
    onEnded({ abnormal: true, summary: error.message, exit: undefined, silent: true })
  }

  #ended(reason: Error | undefined): Error {
    const { name, redact, onEnded } = this.#options
    this.#endedItself = true
    const child = this.#raw !== undefined && isChild(this.#raw)
    if (!child) {
      this.#isGone()
      const { proved } = this.link
      const error = lostConnection(name, reason, proved, redact)
      onEnded({
        abnormal: reason !== undefined || !proved,
        summary: error.message,
        exit: undefined,
        status: proved ? undefined : statusIn(reason),
      })
      return error
    }
    this.lines.end()
    const exit = exitIn(reason)
    // A process that exits before its first answer has failed, whatever its exit code.
    onEnded({ abnormal: exit.code !== 0 || !this.link.proved, summary: crashError(name, exit, []).message, exit })
    return crashError(name, exit, this.lines.lines)
  }

  /** Waits for the close, but not longer than the limit. */
  #awaitClose(): void {
    const cancel = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => this.#isGone())
    const over = (): void => {
      cancel()
      this.#isGone()
    }
    Promise.resolve(this.#raw?.close()).then(over, over)
  }

  #isGone(): void {
    this.lines.end()
    this.#resolveGone()
  }
}

function exitIn(reason: Error | undefined): UpstreamExit {
  const { exitCode, signal } = (reason instanceof ParleyError ? reason.data : undefined) ?? {}
  return { code: typeof exitCode === 'number' ? exitCode : null, signal: typeof signal === 'string' ? signal : null }
}

/** One life of an upstream: a process or a connection, from its start to its end. */
import { ParleyError } from 'parley-mcp'
import type { Clock, Link } from 'parley-mcp/engine'
import { crashError, lostConnection, startError, statusIn, unresponsive } from './failures.ts'
import type { Pass } from './gate.ts'
import { LastLines } from './last-lines.ts'
import { isChild, type Launch } from './launch.ts'
import type { Redact } from './redaction.ts'
import type { UpstreamExit } from './status.ts'
import { WatchedLink } from './watched-link.ts'

export interface RunEnd {
  readonly abnormal: boolean
  /** The error without what the process wrote. */
  readonly summary: string
  readonly exit: UpstreamExit | undefined
  /** Of HTTP, where one that was never reached has answered with it. */
  readonly status?: number | undefined
  /** Whether it was there, and did not answer. */
  readonly silent?: boolean
}

export interface RunOptions {
  readonly pass: Pass
  readonly name: string
  readonly clock: Clock
  readonly redact: Redact
  /** Whether whoever had it started tells itself why there is no session. */
  readonly isExplained: () => boolean
  readonly onLine: (line: string) => void
  readonly onProved: () => void
  /** Nothing gets through for the moment, or something has again. */
  readonly onTrouble: (error: Error | undefined) => void
  /** It ended, and nobody here had asked for it. */
  readonly onEnded: (end: RunEnd) => void
  readonly onClosed: () => void
  /** A process wrote to its standard output what is no message. */
  readonly onStray: (line: string) => void
}

/** How long a connection may take to say farewell. */
const FAREWELL_MS = 5000

export class Run {
  readonly pass: Pass
  readonly startedAt: number
  /** Kept when nothing of it is left. */
  readonly gone: Promise<void>
  /** What it wrote to its standard error. */
  readonly lines: LastLines
  /** Whether whoever opened it gets no other in its place. */
  rests = false
  readonly #options: RunOptions
  #raw: Link | undefined
  #link: WatchedLink | undefined
  #resolveGone: () => void = () => {}
  #endedItself = false

  constructor(options: RunOptions) {
    this.#options = options
    this.pass = options.pass
    this.startedAt = options.clock.now()
    this.lines = new LastLines(options.redact, options.onLine)
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
  }

  /** Only after it was launched. */
  get link(): WatchedLink {
    return this.#link as WatchedLink
  }

  get pid(): number | undefined {
    return this.#raw !== undefined && isChild(this.#raw) ? this.#raw.pid : undefined
  }

  get endedItself(): boolean {
    return this.#endedItself
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

  /** What it did instead of being a server, if that is known. */
  symptoms(): string | undefined {
    return this.#raw !== undefined && isChild(this.#raw) ? this.#raw.symptoms() : undefined
  }

  /** True once, unless its end was put down to itself already. */
  blame(): boolean {
    const first = !this.#endedItself
    this.#endedItself = true
    return first
  }

  #closed(failure: Error | undefined): void {
    const { name, redact, onClosed, onEnded } = this.#options
    if (this.#raw !== undefined && !isChild(this.#raw)) this.#awaitFarewell()
    if (failure === undefined) return onClosed()
    this.#endedItself = true
    onEnded({ abnormal: true, summary: startError(name, failure, redact).message, exit: undefined, status: statusIn(failure) })
  }

  #silent(reason: ParleyError): void {
    const { name, redact, isExplained, onEnded } = this.#options
    if (!this.link.proved && isExplained()) return this.#closed(undefined)
    if (this.#raw !== undefined && !isChild(this.#raw)) this.#awaitFarewell()
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
      onEnded({ abnormal: reason !== undefined || !proved, summary: error.message, exit: undefined, status: proved ? undefined : statusIn(reason) })
      return error
    }
    this.lines.end()
    const exit = exitIn(reason)
    // Whoever leaves before having said a word has failed, whatever the code.
    onEnded({ abnormal: exit.code !== 0 || !this.link.proved, summary: crashError(name, exit, []).message, exit })
    return crashError(name, exit, this.lines.lines)
  }

  /** Nothing waits for a peer for ever. */
  #awaitFarewell(): void {
    const cancel = this.#options.clock.after(FAREWELL_MS, () => this.#isGone())
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

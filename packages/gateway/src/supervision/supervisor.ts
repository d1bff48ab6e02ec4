/**
 * Supervises one upstream server. It starts processes or connections when the restart policy allows it, records how
 * each one ended, and closes all of them when it stops.
 */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import { type Clock, type Link, type LinkOpener, systemClock } from 'parley-mcp/engine'
import type { CommandTarget, RemoteTarget, RestartSettings } from '../config/index.ts'
import {
  explained,
  finished,
  startError,
  statusIn,
  stoppedError,
  type Unavailability,
  unavailable,
  withoutSearchPath,
} from './failures.ts'
import type { ChildOptions } from './launch/command-launch.ts'
import { type Launch, launchOf } from './launch/launch.ts'
import { type Redact, redactionFor, withoutBody } from './redaction.ts'
import { Gate, type Refusal } from './restart/gate.ts'
import { Run, type RunEnd } from './run.ts'
import type { UpstreamEvent, UpstreamExit, UpstreamState, UpstreamStatus } from './status.ts'
import type { StderrLines } from './stderr-lines.ts'

export interface SupervisorOptions {
  readonly name: string
  readonly target: CommandTarget | RemoteTarget
  readonly restart: RestartSettings
  readonly clock?: Clock
  readonly random?: () => number
  readonly log?: (event: UpstreamEvent) => void
  readonly childOptions?: ChildOptions
  /** Longest message of the server, in bytes. Default: the limit of the SDK. */
  readonly maxMessageSize?: number
  /** Replaces the launch that the target describes. */
  readonly launch?: Launch
  /**
   * True if several clients share this server. Error messages then leave out what the process wrote, because it may
   * concern another client. Default: false.
   */
  readonly severalClients?: boolean
}

/** Errors that do not count as a failure of the server. */
const NOT_COUNTED: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'request_cancelled',
  'session_closed',
  'shutting_down',
  'refusal_unavailable',
])

/** The log shows this many of the last lines that a process wrote before it ended. */
const LOGGED_LINES = 12

/** What one client opened. */
interface Opening {
  lastRun: Run | undefined
  /** True during the first attempt. `attempt` reports the failure of that attempt itself. */
  isFirstAttempt: boolean
}

export class Supervisor {
  readonly name: string
  /** Opens a link. Clients that need their own restart history call `opener` instead. */
  readonly open: () => Promise<Link>
  readonly #options: SupervisorOptions
  readonly #clock: Clock
  readonly #redact: Redact
  readonly #launch: Launch
  readonly #gate: Gate
  readonly #listeners = new Set<(status: UpstreamStatus) => void>()
  /** Runs that are alive, oldest first. */
  readonly #runs = new Set<Run>()
  /** Promises that `stop` waits for: starts in progress, processes, closing connections. */
  readonly #pendingEnds = new Set<Promise<unknown>>()
  #starting = 0
  #starts = 0
  #restarts = 0
  #state: UpstreamState = 'idle'
  #since: number
  /** The state while no run is alive or starting. */
  #restingState: UpstreamState = 'idle'
  #stderrLines: StderrLines | undefined
  #lastExit: UpstreamExit | undefined
  #lastError: string | undefined
  #stopped = false
  #troubled = false
  /** True if the last run that ended was reachable but did not answer. */
  #silent = false
  #reportedStray = false
  #stopping: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    const { name, target, restart, clock = systemClock, random = Math.random, childOptions, maxMessageSize } = options
    this.name = name
    this.#options = options
    this.#clock = clock
    this.#since = clock.now()
    const redact = redactionFor(target)
    this.#redact = options.severalClients === true ? (text) => withoutBody(redact(text)) : redact
    const warn = (warning: string): void => this.#log({ type: 'unwatched', upstream: name, warning })
    this.#launch = options.launch ?? launchOf(target, { clock, random, childOptions, maxMessageSize, warn })
    this.#gate = new Gate({ restart, clock, random, refuse: (why) => this.#unavailable(why) })
    this.open = this.opener()
  }

  /** Returns a function that opens links for one client. After a link ended, the restart policy decides on the next. */
  opener(): () => Promise<Link> {
    const opening: Opening = { lastRun: undefined, isFirstAttempt: false }
    return () => this.#start(opening)
  }

  /**
   * Calls `connect` with an opener of its own. If `connect` fails, the error contains all known causes. The failure
   * counts against the server even if the link itself did not fail.
   */
  async attempt<T>(connect: (open: LinkOpener) => Promise<T>): Promise<T> {
    const opening: Opening = { lastRun: undefined, isFirstAttempt: true }
    try {
      const connected = await connect(() => this.#start(opening))
      opening.isFirstAttempt = false
      return connected
    } catch (error) {
      const run = opening.lastRun
      // The supervisor ended it, whatever the error says.
      if (this.#stopped) throw stoppedError(this.name)
      if (run === undefined || (error instanceof ParleyError && NOT_COUNTED.has(error.kind))) throw error
      const failure = explained(this.name, error, { symptoms: run.symptoms(), stderr: run.lines.lines }, this.#redact)
      const silent = error instanceof ParleyError && error.kind === 'initialization_timeout'
      if (run.blame())
        this.#ended(run, { abnormal: true, summary: failure.summary, exit: undefined, status: statusIn(error), silent })
      throw failure.error
    }
  }

  /** The error for a client that needs the server now, if no run is alive and the gate would refuse a start. */
  unavailable(): Error | undefined {
    return this.#runs.size > 0 && !this.#troubled ? undefined : this.#gate.refusal
  }

  status(): UpstreamStatus {
    const [oldest] = this.#runs
    return {
      name: this.name,
      state: this.#state,
      since: this.#since,
      sessions: this.#runs.size,
      uptime: oldest === undefined ? 0 : this.#clock.now() - oldest.startedAt,
      starts: this.#starts,
      restarts: this.#restarts,
      lastExit: this.#lastExit,
      lastError: this.#lastError,
      lastStderr: [...(this.#stderrLines?.lines ?? [])],
      nextAttemptAt: this.#stopped ? undefined : this.#gate.nextAt,
    }
  }

  /** Calls `listener` after each change of state and after each end of a run. */
  onStatus(listener: (status: UpstreamStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when no process and no connection is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const reason = stoppedError(this.name)
    this.#stopped = true
    this.#gate.close(reason)
    for (const run of [...this.#runs]) void run.link.close(reason)
    this.#changed()
    // A start in progress can add a run, which has to end too.
    while (this.#pendingEnds.size > 0) await Promise.all(this.#pendingEnds)
  }

  async #start(opening: Opening): Promise<Link> {
    const before = opening.lastRun
    if (before?.isLast) throw this.#finished()
    const passing = this.#gate.pass()
    this.#changed()
    const pass = await passing
    if (this.#stopped) throw stoppedError(this.name)
    const restart = pass.restart || before?.endedItself === true
    this.#starts++
    if (restart) this.#restarts++
    const run = new Run({
      pass,
      name: this.name,
      clock: this.#clock,
      redact: this.#redact,
      isExplained: () => opening.isFirstAttempt,
      onLine: (line) => this.#log({ type: 'stderr', upstream: this.name, line }),
      onProved: () => this.#proved(run),
      onTrouble: (error) => this.#trouble(error),
      onEnded: (end) => this.#ended(run, end),
      onClosed: () => this.#closed(run),
      onStray: (line) => this.#stray(line),
    })
    this.#starting++
    this.#changed()
    const launching = run.launch(this.#launch)
    this.#awaitOnStop(launching.catch(() => {}))
    try {
      await launching
    } catch (error) {
      this.#starting--
      const reported = withoutSearchPath(error as Error)
      this.#startFailed(run, error as Error, reported)
      throw reported
    }
    this.#starting--
    this.#awaitOnStop(run.gone)
    opening.lastRun = run
    this.#runs.add(run)
    this.#stderrLines = run.lines
    if (this.#stopped) {
      void run.link.close()
      throw stoppedError(this.name)
    }
    this.#log({ type: 'started', upstream: this.name, pid: run.pid, restart })
    this.#changed()
    return run.link
  }

  #startFailed(run: Run, { message }: Error, reported: Error): void {
    this.#lastError = reported.message
    this.#silent = false
    this.#count(run, true, (nextAttemptAt) => ({
      type: 'start_failed',
      upstream: this.name,
      error: message,
      nextAttemptAt,
    }))
    this.#changed(true)
  }

  /** Reported once, because such a server usually writes many stray lines. */
  #stray(line: string): void {
    if (this.#reportedStray) return
    this.#reportedStray = true
    this.#log({ type: 'stray', upstream: this.name, line: this.#redact(line.trim()) })
  }

  /**
   * A transport that connects anew for each message never ends by itself. The last connection tells whether the server
   * is reachable.
   */
  #trouble(error: Error | undefined): void {
    this.#troubled = error !== undefined
    if (error !== undefined) this.#lastError = startError(this.name, error, this.#redact).message
    this.#changed()
  }

  #proved(run: Run): void {
    this.#troubled = false
    this.#gate.proved(run.pass)
    this.#changed()
  }

  #closed(run: Run): void {
    this.#runs.delete(run)
    run.setLast(this.#options.restart.policy === 'temporary' && run.link.proved)
    if (this.#runs.size === 0) this.#restingState = 'idle'
    this.#gate.withdrawn(run.pass)
    this.#changed()
  }

  #ended(run: Run, { abnormal, summary, exit, status, silent = false }: RunEnd): void {
    this.#runs.delete(run)
    this.#stderrLines = run.lines
    this.#lastError = summary
    this.#silent = silent
    if (exit !== undefined) this.#lastExit = exit
    const lines = run.lines.lines.slice(-LOGGED_LINES)
    this.#count(run, abnormal, (nextAttemptAt) => ({
      type: 'ended',
      upstream: this.name,
      abnormal,
      error: summary,
      exit,
      lines,
      status,
      nextAttemptAt,
    }))
    this.#changed(true)
  }

  /**
   * Counts the end of a run. `toEvent` makes the event for the log once the time of the next attempt is known. A
   * `given_up` event carries that time itself.
   */
  #count(run: Run, abnormal: boolean, toEvent: (nextAttemptAt: number | undefined) => UpstreamEvent): void {
    const { state: before } = this.#gate
    const decision = this.#gate.ended(run.pass, abnormal, this.#silent)
    const { state } = this.#gate
    run.setLast(decision.type === 'rest' && !run.onlyProbed)
    this.#restingState = run.isLast ? 'stopped' : 'restarting'
    const isGivenUp = state.phase === 'given_up' && state.generation !== before.generation
    this.#log(toEvent(isGivenUp ? undefined : this.#gate.nextAt))
    if (isGivenUp)
      this.#log({ type: 'given_up', upstream: this.name, until: state.until, ...(this.#silent && { silent: true }) })
  }

  /** Tells listeners about a new state. `always` tells them even if the state is the same. */
  #changed(always = false): void {
    const from = this.#state
    const to = this.#currentState()
    if (from !== to) {
      this.#state = to
      this.#since = this.#clock.now()
      this.#log({ type: 'state', upstream: this.name, from, to })
    }
    if (from === to && !always) return
    const status = this.status()
    for (const listener of this.#listeners) guarded(() => listener(status))
  }

  #currentState(): UpstreamState {
    if (this.#stopped) return 'stopped'
    const { phase } = this.#gate.state
    if (this.#troubled) return phase === 'given_up' ? 'down' : 'restarting'
    for (const { link } of this.#runs) if (link.proved) return 'running'
    if (this.#starting > 0 || this.#runs.size > 0) return phase === 'open' ? 'starting' : 'restarting'
    if (phase === 'given_up') return 'down'
    return this.#gate.waiting > 0 ? 'restarting' : this.#restingState
  }

  #awaitOnStop(end: Promise<unknown>): void {
    this.#pendingEnds.add(end)
    void end.then(() => this.#pendingEnds.delete(end))
  }

  #log(event: UpstreamEvent): void {
    const { log } = this.#options
    if (log !== undefined) guarded(() => log(event))
  }

  #finished(): Error {
    const { policy } = this.#options.restart
    return finished(
      this.#because(
        `${this.#lastError ?? 'it ended'}, and with the restart policy "${policy}" the gateway does not restart it`,
      ),
    )
  }

  #unavailable(why: Refusal): Error {
    const { maxRestarts, within } = this.#options.restart
    const last = this.#lastError === undefined ? '' : ` (${this.#lastError})`
    const reasons: Readonly<Record<Refusal, string>> = {
      given_up: this.#silent
        ? `it did not answer after a restart${last}`
        : `it keeps ending${last}, and ${maxRestarts} restarts within ${within / 1000} s did not help`,
      trial: `it ${this.#silent ? 'did not answer' : 'kept ending'}${last}, and a trial start is in progress`,
      crowded: 'too many requests wait for it to come back',
    }
    return unavailable(this.#because(reasons[why]))
  }

  #because(because: string): Unavailability {
    // The text may concern another client.
    const stderr = this.#options.severalClients === true ? [] : (this.#stderrLines?.lines ?? [])
    return { name: this.name, because, stderr, now: this.#clock.now(), nextAttemptAt: this.#gate.nextAt }
  }
}

/** Ignores errors of an observer: they must not harm the supervisor. */
function guarded(notify: () => void): void {
  try {
    notify()
  } catch {
    // See above.
  }
}

/** Looks after one upstream: starts its processes or connections when they may be started, knows how each ended, and leaves none behind. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { ReconnectOptions } from 'parley-mcp/client'
import { type Clock, type Link, type LinkOpener, systemClock } from 'parley-mcp/engine'
import type { CommandTarget, RemoteTarget, RestartSettings } from '../config/index.ts'
import type { ChildOptions } from './command-launch.ts'
import { discreetStart, explained, finished, isFinal, isUnavailable, startError, statusIn, stoppedError, type Unavailability, unavailable } from './failures.ts'
import { Gate, type Refusal } from './gate.ts'
import type { LastLines } from './last-lines.ts'
import { type Launch, launchOf } from './launch.ts'
import { type Redact, redactionFor, withoutBody } from './redaction.ts'
import { Run, type RunEnd } from './run.ts'
import type { UpstreamEvent, UpstreamExit, UpstreamState, UpstreamStatus } from './status.ts'

export interface SupervisorOptions {
  readonly name: string
  readonly target: CommandTarget | RemoteTarget
  readonly restart: RestartSettings
  readonly clock?: Clock
  readonly random?: () => number
  readonly log?: (event: UpstreamEvent) => void
  readonly childOptions?: ChildOptions
  /** Longest message of the server, in bytes. Default: as the SDK has it. */
  readonly maxMessageSize?: number
  /** Instead of what the target says. */
  readonly launch?: Launch
  /** Whether its clients are not one and the same: then what a process wrote is told to nobody but those who used it. Default false. */
  readonly severalClients?: boolean
}

/** Trying again would not help, and may lock an account. */
const HOPELESS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['unauthorized', 'forbidden'])

/** For clients behind a supervisor: they come back soon and do not give up before the supervisor does, because the gate knows the pace. */
export const upstreamReconnect: ReconnectOptions = {
  retries: Number.POSITIVE_INFINITY,
  delays: [50, 1000, 2000, 5000],
  judge: (error) => {
    if (isFinal(error) || (error instanceof ParleyError && HOPELESS.has(error.kind))) return 'stop'
    return isUnavailable(error) ? 'tell' : 'again'
  },
}

/** Failures that say nothing about the upstream. */
const NOT_ITS_FAULT: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['request_cancelled', 'session_closed', 'shutting_down', 'refusal_unavailable'])

/** Of what a process wrote before it ended, so many lines are said in the log. */
const LOGGED_LINES = 12

/** One client's way in, and what became of it the last time. */
interface Slot {
  last: Run | undefined
  /** Whether the first attempt is under way, whose failure is told by whoever makes it. */
  isFirst: boolean
}

export class Supervisor {
  readonly name: string
  /** A way in for a client, one for all who do not ask for their own with `opener`. */
  readonly open: () => Promise<Link>
  readonly #options: SupervisorOptions
  readonly #clock: Clock
  readonly #redact: Redact
  readonly #launch: Launch
  readonly #gate: Gate
  readonly #listeners = new Set<(status: UpstreamStatus) => void>()
  /** Alive, oldest first. */
  readonly #runs = new Set<Run>()
  /** What has to be over before nothing is left: starts under way, processes, farewells. */
  readonly #leftovers = new Set<Promise<unknown>>()
  #starting = 0
  #starts = 0
  #restarts = 0
  #state: UpstreamState = 'idle'
  #since: number
  /** What it is when nothing is alive or under way. */
  #otherwise: UpstreamState = 'idle'
  #lastLines: LastLines | undefined
  #lastExit: UpstreamExit | undefined
  #lastError: string | undefined
  #stopped = false
  #troubled = false
  /** Whether what ended last was there, and did not answer. */
  #silent = false
  #strayed = false
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

  /** A way in for one client: opened once because somebody needs it, and again, as the policy allows, when what was opened has ended. */
  opener(): () => Promise<Link> {
    const slot: Slot = { last: undefined, isFirst: false }
    return () => this.#start(slot)
  }

  /** Has `connect` use a way in of its own. When that fails, the error says all that is known, and counts even where the link had no fault. */
  async attempt<T>(connect: (open: LinkOpener) => Promise<T>): Promise<T> {
    const slot: Slot = { last: undefined, isFirst: true }
    try {
      const connected = await connect(() => this.#start(slot))
      slot.isFirst = false
      return connected
    } catch (error) {
      const run = slot.last
      // What became of it is our own doing, whatever words it comes in.
      if (this.#stopped) throw stoppedError(this.name)
      if (run === undefined || (error instanceof ParleyError && NOT_ITS_FAULT.has(error.kind))) throw error
      const failure = explained(this.name, error, { symptoms: run.symptoms(), stderr: run.lines.lines }, this.#redact)
      const silent = error instanceof ParleyError && error.kind === 'initialization_timeout'
      if (run.blame()) this.#ended(run, { abnormal: true, summary: failure.summary, exit: undefined, status: statusIn(error), silent })
      throw failure.error
    }
  }

  /** What to tell somebody who needs it now, when it is known that asking would be in vain and nothing of it is alive. */
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
      lastStderr: [...(this.#lastLines?.lines ?? [])],
      nextAttemptAt: this.#stopped ? undefined : this.#gate.nextAt,
    }
  }

  /** Called after each change of state, and whenever something ended. */
  onStatus(listener: (status: UpstreamStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Kept when nothing of it is left, neither processes nor connections. */
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
    // A start that was under way leaves something that has to end as well.
    while (this.#leftovers.size > 0) await Promise.all(this.#leftovers)
  }

  async #start(slot: Slot): Promise<Link> {
    const before = slot.last
    if (before?.rests) throw this.#finished()
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
      isExplained: () => slot.isFirst,
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
    this.#keep(launching.catch(() => {}))
    try {
      await launching
    } catch (error) {
      this.#starting--
      const told = discreetStart(error as Error)
      this.#startFailed(run, error as Error, told)
      throw told
    }
    this.#starting--
    this.#keep(run.gone)
    slot.last = run
    this.#runs.add(run)
    this.#lastLines = run.lines
    if (this.#stopped) {
      void run.link.close()
      throw stoppedError(this.name)
    }
    this.#log({ type: 'started', upstream: this.name, pid: run.pid, restart })
    this.#changed()
    return run.link
  }

  #startFailed(run: Run, { message }: Error, told: Error): void {
    this.#lastError = told.message
    this.#silent = false
    this.#count(run, true, (nextAttemptAt) => ({ type: 'start_failed', upstream: this.name, error: message, nextAttemptAt }))
    this.#changed(true)
  }

  /** Once: who does it, does it all the time. */
  #stray(line: string): void {
    if (this.#strayed) return
    this.#strayed = true
    this.#log({ type: 'stray', upstream: this.name, line: this.#redact(line.trim()) })
  }

  /** Connections that are made anew for each message never end by themselves: whether the server is there is what the last one says. */
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
    run.rests = this.#options.restart.policy === 'temporary' && run.link.proved
    if (this.#runs.size === 0) this.#otherwise = 'idle'
    this.#gate.withdrawn(run.pass)
    this.#changed()
  }

  #ended(run: Run, { abnormal, summary, exit, status, silent = false }: RunEnd): void {
    this.#runs.delete(run)
    this.#lastLines = run.lines
    this.#lastError = summary
    this.#silent = silent
    if (exit !== undefined) this.#lastExit = exit
    const lines = run.lines.lines.slice(-LOGGED_LINES)
    this.#count(run, abnormal, (nextAttemptAt) => ({ type: 'ended', upstream: this.name, abnormal, error: summary, exit, lines, status, nextAttemptAt }))
    this.#changed(true)
  }

  /** `news`: what is told of it, as soon as it is known when the next attempt can be made; that it is given up tells that as well. */
  #count(run: Run, abnormal: boolean, news: (nextAttemptAt: number | undefined) => UpstreamEvent): void {
    const { state: before } = this.#gate
    const decision = this.#gate.ended(run.pass, abnormal, this.#silent)
    const { state } = this.#gate
    run.rests = decision.type === 'rest' && !run.onlyProbed
    this.#otherwise = run.rests ? 'stopped' : 'restarting'
    const isGivenUp = state.phase === 'given_up' && state.generation !== before.generation
    this.#log(news(isGivenUp ? undefined : this.#gate.nextAt))
    if (isGivenUp) this.#log({ type: 'given_up', upstream: this.name, until: state.until, ...(this.#silent && { silent: true }) })
  }

  /** Whatever is told must not be told twice, so only a new state is news; `always` where something else is. */
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
    return this.#gate.waiting > 0 ? 'restarting' : this.#otherwise
  }

  #keep(leftover: Promise<unknown>): void {
    this.#leftovers.add(leftover)
    void leftover.then(() => this.#leftovers.delete(leftover))
  }

  #log(event: UpstreamEvent): void {
    const { log } = this.#options
    if (log !== undefined) guarded(() => log(event))
  }

  #finished(): Error {
    const { policy } = this.#options.restart
    return finished(this.#because(`${this.#lastError ?? 'it ended'}, and with the restart policy "${policy}" it is not started again by itself`))
  }

  #unavailable(why: Refusal): Error {
    const { maxRestarts, within } = this.#options.restart
    const last = this.#lastError === undefined ? '' : ` (${this.#lastError})`
    const reasons: Readonly<Record<Refusal, string>> = {
      given_up: this.#silent
        ? `it did not answer when it was tried again${last}`
        : `it keeps ending${last}, and ${maxRestarts} restarts within ${within / 1000} s did not help`,
      trial: `it kept ${this.#silent ? 'silent' : 'ending'}${last}, and is just being tried again`,
      crowded: 'too many wait for it to come back',
    }
    return unavailable(this.#because(reasons[why]))
  }

  #because(because: string): Unavailability {
    // It may have been written about somebody else.
    const stderr = this.#options.severalClients === true ? [] : (this.#lastLines?.lines ?? [])
    return { name: this.name, because, stderr, now: this.#clock.now(), nextAttemptAt: this.#gate.nextAt }
  }
}

/** What observers make of the news is their own affair. */
function guarded(tell: () => void): void {
  try {
    tell()
  } catch {
    // An observer that fails must not harm what it observes.
  }
}

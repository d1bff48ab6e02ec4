/** Writes a report when a session or the process ends with an error (L8). It has headers of messages, never content. */
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import type { Servable } from '../../serve/index.ts'
import { type Clock, type Session, systemClock } from '../../session/index.ts'
import { writeCrashFile } from './file.ts'
import { RecordingLink } from './recording-link.ts'
import { redact } from './redact.ts'

export interface CrashReportOptions {
  /** Created when needed. */
  directory: string
  /** Most reports in the directory. The oldest are removed. Default 20. */
  maxFiles?: number
  /** Data of the program, written as `details` when the whole process crashes. */
  details?: () => object
  /** Removes further secrets from error texts. */
  redact?: (text: string) => string
  /** Gets the path of each report. */
  onWritten?: (file: string) => void
  clock?: Clock
}

/** An option of `connect` and of the functions that serve. */
export interface CrashReporting {
  /** Where to write a report when a session or the process ends with an error. Default: no reports. */
  crashReports?: string | CrashReportOptions
}

/** Errors of expected ends. */
const EXPECTED: ReadonlySet<string> = new Set(['initialization_timeout', 'request_cancelled'])
const MAX_SESSIONS = 50
const MAX_CAUSES = 5

interface Watched {
  readonly link: RecordingLink
  /** The state at the moment of the end, before all requests were settled. */
  last: object | undefined
}

export class CrashReporter {
  readonly #options: CrashReportOptions
  readonly #clock: Clock
  readonly #watched = new Map<Session, Watched>()

  constructor(options: string | CrashReportOptions) {
    this.#options = typeof options === 'string' ? { directory: options } : options
    this.#clock = this.#options.clock ?? systemClock
    // The monitor only observes: the process still crashes as before.
    process.on('uncaughtExceptionMonitor', this.#onCrash)
  }

  /** Returns a link to use instead of this one. */
  record(link: Link): RecordingLink {
    return new RecordingLink(link, () => this.#clock.now())
  }

  watch(session: Session, link: RecordingLink): void {
    const watched: Watched = { link, last: undefined }
    this.#watched.set(session, watched)
    session.onPhase(({ to }) => {
      if (to === 'closed') watched.last = this.#describe(session, watched)
    })
    session.onClose((reason) => {
      this.#watched.delete(session)
      if (reason === undefined || (reason instanceof ParleyError && EXPECTED.has(reason.kind))) return
      this.#write('session', reason, [watched.last ?? this.#describe(session, watched)])
    })
  }

  /** A server whose sessions are all watched. */
  watching(server: Servable): Servable {
    return {
      ...(server.limits === undefined ? {} : { limits: server.limits }),
      ...(server.versions === undefined ? {} : { versions: server.versions }),
      ready: () => server.ready?.(),
      accept: (link, options) => {
        const recording = this.record(link)
        const session = server.accept(recording, options)
        this.watch(session, recording)
        return session
      },
    }
  }

  stop(): void {
    process.off('uncaughtExceptionMonitor', this.#onCrash)
    this.#watched.clear()
  }

  readonly #onCrash = (error: unknown, origin: string): void => {
    const sessions = [...this.#watched]
      .slice(0, MAX_SESSIONS)
      .map(([session, watched]) => this.#describe(session, watched))
    this.#write(origin === 'unhandledRejection' ? 'unhandledRejection' : 'uncaughtException', error, sessions)
  }

  #write(
    cause: 'session' | 'uncaughtException' | 'unhandledRejection',
    error: unknown,
    sessions: readonly object[],
  ): void {
    const { directory, maxFiles = 20, details, redact: more = (text: string) => text, onWritten } = this.#options
    try {
      const at = this.#clock.now()
      const { pid, version: node, platform } = process
      const report = {
        format: 'parley-crash-report/1',
        at: new Date(at).toISOString(),
        cause,
        error: describeError(error, (text) => more(redact(text, process.env))),
        process: { pid, node, platform, uptimeMs: Math.round(process.uptime() * 1000) },
        ...(details === undefined || cause === 'session' ? {} : { details: details() }),
        sessions,
      }
      const file = writeCrashFile(directory, at, report, Math.max(1, maxFiles))
      if (file !== undefined) onWritten?.(file)
    } catch {
      // Reporting must not cause another failure.
    }
  }

  #describe(session: Session, { link }: Watched): object {
    const now = this.#clock.now()
    const ages = <T extends { startedAt: number }>(list: readonly T[]) =>
      list.map(({ startedAt, ...rest }) => ({ ...pick(rest, 'id', 'method'), ageMs: now - startedAt }))
    return {
      // Over HTTP the full id gives access to the session.
      id: `${session.id.slice(0, 8)}…`,
      role: session.role,
      transport: session.transport,
      version: session.version,
      peer:
        session.peer === undefined ? undefined : { name: session.peer.info.name, version: session.peer.info.version },
      phase: session.phase,
      history: session.history,
      pending: ages(session.pending()),
      inFlight: ages(session.inFlight()),
      lastMessages: link.headers,
      ignored: session.stats().ignored,
    }
  }
}

/** For functions with the option: the server to serve, and a function to call at the end. */
export function withCrashReports(
  server: Servable,
  crashReports: CrashReporting['crashReports'],
): { server: Servable; stop: () => void } {
  if (crashReports === undefined) return { server, stop: () => {} }
  const reporter = new CrashReporter(crashReports)
  return { server: reporter.watching(server), stop: () => reporter.stop() }
}

function describeError(error: unknown, withoutSecrets: (text: string) => string, depth = 0): object {
  const clean = (text: unknown) => withoutSecrets(String(text)).slice(0, 8000)
  if (!(error instanceof Error)) return { message: clean(error) }
  const { name, message, stack, cause } = error
  return {
    name,
    message: clean(message),
    ...(error instanceof ParleyError ? { kind: error.kind } : {}),
    stack: clean(stack),
    ...(cause === undefined || depth >= MAX_CAUSES ? {} : { cause: describeError(cause, withoutSecrets, depth + 1) }),
  }
}

function pick(from: object, ...keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
}

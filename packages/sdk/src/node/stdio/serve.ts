/** Serves one client over standard input and output, for as long as it is there. */
import type { Readable, Writable } from 'node:stream'
import {
  type AcceptOptions,
  type Acceptor,
  type CloseOptions,
  type Duration,
  type Session,
  spokenVersions,
  systemClock,
} from '../../session/index.ts'
import { versions as allVersions, eraOf, type ProtocolVersion } from '../../versions/index.ts'
import { type CrashReporting, withCrashReports } from '../crash-report/reporter.ts'
import { type StdioLink, stdioLink } from './link.ts'
import { onSignals } from './signals.ts'

export interface ServeStdioOptions extends AcceptOptions, CrashReporting {
  /** Instead of the standard input of the process. */
  input?: Readable
  /** Instead of the standard output of the process. */
  output?: Writable
  /** Whether SIGTERM and SIGINT end the conversation gracefully. Default true, unless other streams are given. */
  handleSignals?: boolean
  /**
   * Whether the process ends with the conversation, whatever else still keeps it running. Default true, unless other
   * streams are given.
   */
  exit?: boolean
  /** How long requests being answered may take to finish at the end. Default 5 s. */
  drain?: Duration
}

export interface StdioHandle {
  readonly session: Session
  /** Kept when the conversation is over and the last answer is out. */
  readonly closed: Promise<void>
  close(options?: CloseOptions): Promise<void>
}

/** How long a client that insists on the end has to wait for it. */
const HURRIED_MS = 1000
/** How long the process has for its own farewell before it is ended. */
const FAREWELL_MS = 1000

export async function serveStdio(server: Acceptor, options: ServeStdioOptions = {}): Promise<StdioHandle> {
  const {
    input = process.stdin,
    output = process.stdout,
    handleSignals,
    exit,
    drain,
    crashReports,
    ...accept
  } = options
  const ownsProcess = input === process.stdin && output === process.stdout
  const clock = accept.clock ?? systemClock
  const closing: CloseOptions = drain === undefined ? {} : { drain }
  const settings = { ...patience(server, accept), ...accept }

  // Answers to what was asked before may still be wanted, as in `server < requests > answers`.
  const link = stdioLink({ input, output, clock, onInputEnd: () => void session.close(closing) })
  const reporting = withCrashReports(server, crashReports)
  const session = acceptOn(link, reporting.server, settings)
  const stopSignals = (handleSignals ?? ownsProcess) ? onSignals(endSoon) : undefined

  function endSoon(): void {
    // The client that closed our input and then sends a signal will not wait much longer.
    void session.close(session.phase === 'shutting_down' ? { drain: HURRIED_MS } : closing)
  }

  const closed = link.finished.then(() => {
    stopSignals?.()
    reporting.stop()
    if (exit ?? ownsProcess) setTimeout(() => process.exit(), FAREWELL_MS).unref()
  })
  return {
    session,
    closed,
    async close(given) {
      await session.close({ ...closing, ...given })
      await closed
    },
  }
}

/**
 * A client of the stateless era may be silent for as long as it likes: it owns this process, and no other client waits
 * for its place. A time that the server was created with holds all the same.
 */
function patience(
  server: Acceptor & {
    readonly versions?: readonly ProtocolVersion[]
    readonly initialiseTimeout?: Duration | undefined
  },
  { versions = server.versions, dialect }: AcceptOptions,
): AcceptOptions {
  if (server.initialiseTimeout !== undefined) return {}
  const spoken = spokenVersions({ versions, dialect }) ?? allVersions
  return spoken.some((version) => eraOf(version) === 'stateless') ? { initialiseTimeout: Number.POSITIVE_INFINITY } : {}
}

function acceptOn(link: StdioLink, server: Acceptor, options: AcceptOptions): Session {
  try {
    return server.accept(link, options)
  } catch (error) {
    link.close()
    throw error
  }
}

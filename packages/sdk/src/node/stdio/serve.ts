/** Serves one client over standard input and output. */
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

export interface ServeStdioOptions extends AcceptOptions, CrashReporting {
  /** Replaces the standard input of the process. */
  input?: Readable
  /** Replaces the standard output of the process. */
  output?: Writable
  /** Whether SIGTERM and SIGINT end the session gracefully. Default true, unless other streams are given. */
  handleSignals?: boolean
  /**
   * Whether the process ends with the session, even if timers or sockets are open. Default true, unless other streams
   * are given.
   */
  exit?: boolean
  /** How long running requests may take at the end. Default 5 s. */
  drain?: Duration
}

export interface StdioHandle {
  readonly session: Session
  /** Resolves when the session has ended and the last answer is written. */
  readonly closed: Promise<void>
  close(options?: CloseOptions): Promise<void>
}

/** The drain time after a signal, if the input was closed before. */
const SIGNAL_DRAIN_MS = 1000
/** How long the process may run after the session has ended. */
const EXIT_DELAY_MS = 1000

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
  const settings = { ...handshakeTimeout(server, accept), ...accept }

  // The client may still want the answers to its requests, as in `server < requests > answers`.
  const link = stdioLink({ input, output, clock, onInputEnd: () => void session.close(closing) })
  const reporting = withCrashReports(server, crashReports)
  const session = acceptOn(link, reporting.server, settings)
  const stopSignals = (handleSignals ?? ownsProcess) ? onSignals(endSoon) : undefined

  function endSoon(): void {
    // A client that closes the input and then sends a signal does not wait much longer.
    void session.close(session.phase === 'shutting_down' ? { drain: SIGNAL_DRAIN_MS } : closing)
  }

  const closed = link.finished.then(() => {
    stopSignals?.()
    reporting.stop()
    if (exit ?? ownsProcess) setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
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
 * A stateless client may be silent for any time, because no other client uses this process. The server's own limit
 * applies.
 */
function handshakeTimeout(
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

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The first signal calls `end`, the second ends the process. Returns a function to stop listening. */
function onSignals(end: () => void): () => void {
  let asked = false
  const listener = (): void => {
    if (asked) process.exit(1)
    asked = true
    end()
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

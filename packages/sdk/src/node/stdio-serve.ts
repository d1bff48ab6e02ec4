/** Serves one client over standard input and output, for as long as it is there. */
import type { Readable, Writable } from 'node:stream'
import { ParleyError } from '../errors/index.ts'
import { type AcceptOptions, type Acceptor, type Clock, type CloseOptions, type Duration, type Session, systemClock } from '../session/index.ts'
import { guardStdout, type StdoutGuard } from './stdio-guard.ts'
import { onSignals } from './stdio-signals.ts'
import { StreamLink } from './stream-link.ts'

export interface ServeStdioOptions extends AcceptOptions {
  /** Instead of the standard input of the process. */
  input?: Readable
  /** Instead of the standard output of the process. */
  output?: Writable
  /** Whether SIGTERM and SIGINT end the conversation gracefully. Default true, unless other streams are given. */
  handleSignals?: boolean
  /** Whether the process ends with the conversation, whatever else still keeps it running. Default true, unless other streams are given. */
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

/** How long a client that does not read may hold up the end. */
const FLUSH_MS = 2000
/** How long a client that insists on the end has to wait for it. */
const HURRIED_MS = 1000
/** How long the process has for its own farewell before it is ended. */
const FAREWELL_MS = 1000

let processIsServing = false

export async function serveStdio(server: Acceptor, options: ServeStdioOptions = {}): Promise<StdioHandle> {
  const { input = process.stdin, output = process.stdout, handleSignals, exit, drain, ...accept } = options
  const ownsProcess = input === process.stdin && output === process.stdout
  if (ownsProcess && processIsServing) throw new ParleyError('transport_error', { message: 'Standard input and output are already being served' })
  const guard = output === process.stdout ? guardStdout() : undefined
  const clock = accept.clock ?? systemClock
  const closing: CloseOptions = drain === undefined ? {} : { drain }

  let resolveClosed: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })
  const link = new StreamLink({
    transport: 'stdio',
    input,
    output,
    ...(guard === undefined ? {} : { write: guard.write }),
    // Answers to what was asked before may still be wanted, as in `server < requests > answers`.
    onInputEnd: () => void session.close(closing),
    onOver: (flushed) => {
      letGo(input)
      void atMost(flushed, FLUSH_MS, clock).then(over)
    },
  })
  const session = acceptGuarded(server, link, accept, guard)
  if (ownsProcess) processIsServing = true
  const stopSignals = (handleSignals ?? ownsProcess) ? onSignals(endNow) : undefined

  /** The client that closed our input and then sends a signal will not wait much longer. */
  function endNow(): void {
    if (session.phase === 'shutting_down') clock.after(HURRIED_MS, () => link.close())
    void session.close(closing)
  }

  function over(): void {
    guard?.restore()
    stopSignals?.()
    if (ownsProcess) processIsServing = false
    resolveClosed()
    if (exit ?? ownsProcess) setTimeout(() => process.exit(), FAREWELL_MS).unref()
  }

  return {
    session,
    closed,
    async close(given) {
      await session.close({ ...closing, ...given })
      await closed
    },
  }
}

function acceptGuarded(server: Acceptor, link: StreamLink, options: AcceptOptions, guard: StdoutGuard | undefined): Session {
  try {
    return server.accept(link, options)
  } catch (error) {
    guard?.restore()
    throw error
  }
}

/** Waiting input keeps a process alive. */
function letGo(input: Readable): void {
  input.pause()
  ;(input as { unref?: () => void }).unref?.()
}

function atMost(promise: Promise<void>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve)
    void promise.then(() => {
      cancel()
      resolve()
    })
  })
}

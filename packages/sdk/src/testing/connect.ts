/** Connects a client to a server value in memory, in any version, and keeps what was said. */
import { type Client, type ConnectOptions, connect as connectClient, reporter, type ToolsOf } from '../client/index.ts'
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { AcceptOptions, Acceptor, Mint, Session } from '../session/index.ts'
import { memoryPair } from '../transport/index.ts'
import { isAnswers, Unscripted } from './answers.ts'
import { type FaultPlan, faulty } from './faults.ts'
import { Transcript } from './transcript.ts'

export interface TestOptions extends ConnectOptions {
  /** Settings of the server's side of the conversation. */
  accept?: AcceptOptions
  /** What goes wrong on the way, seen from the client. */
  faults?: FaultPlan
}

/** A client that remembers the conversation. Closing it fails when scripted answers do not match what was asked. */
export type TestClient<Tools> = Client<Tools> & {
  readonly transcript: Transcript
  /** The server's side of the same conversation. */
  readonly serverSession: Session
}

/** Both sides share the clock and count their ids; there are no keep-alive pings unless asked for. */
export async function connect<S extends Acceptor>(
  server: S,
  options: TestOptions = {},
): Promise<TestClient<ToolsOf<S>>> {
  const { accept, faults, ...rest } = options
  const transcript = new Transcript()
  const mint = options.mint ?? countingMint()
  const shared = {
    mint,
    ...(options.clock && { clock: options.clock }),
    ...(options.limits && { limits: options.limits }),
  }
  const misfits: unknown[] = []
  const report = reporter(options)
  let serverSession: Session | undefined
  const value: Acceptor = {
    outputSchema: (tool) => server.outputSchema?.(tool),
    accept: (link, more) => {
      serverSession = server.accept(link, { keepAlive: false, ...shared, ...more, ...accept })
      return serverSession
    },
  }
  const client = await connectClient<S>(
    (faults === undefined ? value : withFaults(value, faults, options.clock)) as S,
    {
      reconnect: false,
      keepAlive: false,
      ...rest,
      mint,
      onError: (error, info) => {
        const misfit =
          error instanceof Unscripted || (isMisfit(error, info.during) && scripted(options).some(isAnswers))
        if (misfit) misfits.push(error)
        // A misfit is thrown in the end: the console would only say it twice.
        if (!misfit || options.onError !== undefined) report(error, info.during)
      },
      tap: (direction, frame) => {
        transcript.record(direction, frame)
        options.tap?.(direction, frame)
      },
    },
  )
  const end = client.close.bind(client)
  const call = client.call.bind(client) as (...args: unknown[]) => Promise<unknown>
  let told = false
  const close = async (): Promise<void> => {
    await end()
    for (const misfit of misfits)
      if (!(misfit instanceof Unscripted))
        throw new Error(`Scripted wrongly: ${(misfit as Error).message}`, { cause: misfit })
    for (const handler of scripted(options)) if (isAnswers(handler)) handler.done()
  }
  return Object.assign(client, {
    transcript,
    serverSession: serverSession as unknown as Session,
    // The call during which the script turns out wrong says so itself: a second error of `await using` would hide it.
    call: (...args: unknown[]) =>
      call(...args).finally(() => {
        const misfit = misfits.find((each) => each instanceof Unscripted)
        if (misfit === undefined || told) return
        told = true
        throw new Error(`The script of answers() does not fit: ${(misfit as Error).message}`)
      }),
    close,
    [Symbol.asyncDispose]: () => (told ? end() : close()),
  }) as TestClient<ToolsOf<S>>
}

/** Over one link, with what goes wrong on it. */
function withFaults(server: Acceptor, faults: FaultPlan, clock: ConnectOptions['clock']): Link {
  const [near, far] = memoryPair()
  server.accept(far)
  return faulty(near, faults, clock)
}

/** The server only sees that the user has cancelled, so the test would not be told what is wrong with its script. */
function isMisfit(error: unknown, during: string): boolean {
  return error instanceof ParleyError && error.kind === 'invalid_answer' && during.startsWith('answering ')
}

function scripted({ elicit, sample }: ConnectOptions): unknown[] {
  const questions = typeof elicit === 'object' ? [elicit.form, elicit.url] : [elicit]
  return [...new Set([...questions, typeof sample === 'object' ? sample.answer : sample])]
}

function countingMint(): Mint {
  let count = 0
  return () => `id-${++count}`
}

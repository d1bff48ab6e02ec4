/** Connects a client to a server in memory, in any version, and records the messages. */
import { type Client, type ConnectOptions, connect as connectClient, reporter, type ToolsOf } from '../client/index.ts'
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { AcceptOptions, Acceptor, Mint, Session } from '../session/index.ts'
import { memoryPair } from '../transport/index.ts'
import { isAnswers, Unscripted } from './answers.ts'
import { type FaultPlan, faulty } from './faults.ts'
import { Transcript } from './transcript.ts'

export interface TestOptions extends ConnectOptions {
  /** Settings of the server's session. */
  accept?: AcceptOptions
  /** The faults of the link, as seen from the client. */
  faults?: FaultPlan
}

/** A client with a transcript. `close` fails if the scripted answers do not match the questions. */
export type TestClient<Tools> = Client<Tools> & {
  readonly transcript: Transcript
  /** The server's session. */
  readonly serverSession: Session
}

/** Both sides share the clock and use counted ids. By default there are no keep-alive pings. */
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
  const scriptErrors: unknown[] = []
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
        const scriptError =
          error instanceof Unscripted || (isInvalidAnswer(error, info.during) && scripted(options).some(isAnswers))
        if (scriptError) scriptErrors.push(error)
        // Script errors are thrown by `close`, so they are not printed too.
        if (!scriptError || options.onError !== undefined) report(error, info.during)
      },
      tap: (direction, frame) => {
        transcript.record(direction, frame)
        options.tap?.(direction, frame)
      },
    },
  )
  const end = client.close.bind(client)
  const call = client.call.bind(client) as (...args: unknown[]) => Promise<unknown>
  let reported = false
  const close = async (): Promise<void> => {
    await end()
    for (const scriptError of scriptErrors)
      if (!(scriptError instanceof Unscripted))
        throw new Error(`Scripted wrongly: ${(scriptError as Error).message}`, { cause: scriptError })
    for (const handler of scripted(options)) if (isAnswers(handler)) handler.done()
  }
  return Object.assign(client, {
    transcript,
    serverSession: serverSession as unknown as Session,
    // The failing call reports the script error. `await using` would hide it behind a second error.
    call: (...args: unknown[]) =>
      call(...args).finally(() => {
        const scriptError = scriptErrors.find((each) => each instanceof Unscripted)
        if (scriptError === undefined || reported) return
        reported = true
        throw new Error(`The script of answers() does not fit: ${(scriptError as Error).message}`)
      }),
    close,
    [Symbol.asyncDispose]: () => (reported ? end() : close()),
  }) as TestClient<ToolsOf<S>>
}

/** A link to the server, with faults. */
function withFaults(server: Acceptor, faults: FaultPlan, clock: ConnectOptions['clock']): Link {
  const [near, far] = memoryPair()
  server.accept(far)
  return faulty(near, faults, clock)
}

/** The server only sees a cancellation, so the test must report the invalid answer. */
function isInvalidAnswer(error: unknown, during: string): boolean {
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

/** Connects a client to a server value in memory, in any version, and keeps what was said. */
import { type Client, type ConnectOptions, connect as connectClient, reporter, type ToolsOf } from '../client/index.ts'
import { ParleyError } from '../errors/index.ts'
import type { AcceptOptions, Acceptor, Mint, Session } from '../session/index.ts'
import { memoryPair } from '../transport/index.ts'
import { isAnswers } from './answers.ts'
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
export async function connect<S extends Acceptor>(server: S, options: TestOptions = {}): Promise<TestClient<ToolsOf<S>>> {
  const { accept, faults, ...rest } = options
  const transcript = new Transcript()
  const mint = options.mint ?? countingMint()
  const shared = { mint, ...(options.clock && { clock: options.clock }), ...(options.limits && { limits: options.limits }) }
  const misfits: unknown[] = []
  const report = reporter(options)
  const [near, far] = memoryPair()
  const serverSession = server.accept(far, { keepAlive: false, ...shared, ...accept })
  const client = await connectClient<S>(faults === undefined ? near : faulty(near, faults, options.clock), {
    keepAlive: false,
    ...rest,
    mint,
    onError: (error, info) => {
      const misfit = isMisfit(error, info.during) && scripted(options).some(isAnswers)
      if (misfit) misfits.push(error)
      // A misfit is thrown in the end: the console would only say it twice.
      if (!misfit || options.onError !== undefined) report(error, info.during)
    },
    tap: (direction, frame) => {
      transcript.record(direction, frame)
      options.tap?.(direction, frame)
    },
  })
  const close = client.close.bind(client)
  return Object.assign(client, {
    transcript,
    serverSession,
    close: async () => {
      await close()
      for (const misfit of misfits) throw new Error(`Scripted wrongly: ${(misfit as Error).message}`, { cause: misfit })
      for (const handler of scripted(options)) if (isAnswers(handler)) handler.done()
    },
  })
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

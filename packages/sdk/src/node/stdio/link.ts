/** A link over the standard input and output of this process. It uses them exclusively. */
import type { Readable, Writable } from 'node:stream'
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import { type Clock, systemClock } from '../../session/index.ts'
import { StreamLink } from '../stream-link.ts'
import { guardStdout } from './output-guard.ts'

export interface StdioLinkOptions {
  /** Replaces the standard input of the process. */
  input?: Readable
  /** Replaces the standard output of the process. */
  output?: Writable
  /** The peer sends no more, but may still read. Default: the link ends. */
  onInputEnd?: () => void
  clock?: Clock
}

export interface StdioLink extends Link {
  /** Resolves when the link is closed and its last frame is written. Then others may use the output again. */
  readonly finished: Promise<void>
}

/** How long the end waits for a peer that does not read. */
const FLUSH_TIMEOUT_MS = 2000

let inUse = false

export function stdioLink(options: StdioLinkOptions = {}): StdioLink {
  const { input = process.stdin, output = process.stdout, onInputEnd, clock = systemClock } = options
  const ofProcess = input === process.stdin || output === process.stdout
  if (ofProcess && inUse)
    throw new ParleyError('transport_error', {
      message: 'Standard input and output are already in use by another link',
    })
  const guard = output === process.stdout ? guardStdout() : undefined
  if (ofProcess) inUse = true

  let resolveFinished: () => void = () => {}
  const finished = new Promise<void>((resolve) => {
    resolveFinished = resolve
  })
  const finish = (): void => {
    guard?.restore()
    if (ofProcess) inUse = false
    resolveFinished()
  }
  const link = new StreamLink({
    transport: 'stdio',
    input,
    output,
    ...(guard === undefined ? {} : { write: guard.write }),
    ...(onInputEnd === undefined ? {} : { onInputEnd }),
    onOver: (flushed) => {
      stopReading(input)
      void atMost(flushed, FLUSH_TIMEOUT_MS, clock).then(finish)
    },
  })
  return Object.assign(link, { finished })
}

/** Waiting input keeps a process alive. */
function stopReading(input: Readable): void {
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

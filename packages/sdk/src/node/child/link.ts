/**
 * A link to a server that runs as a process of ours: we start it, and we see to its end and that of everything it
 * started.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { ParleyError } from '../../errors/index.ts'
import type { Link, LinkEvents } from '../../jsonrpc/index.ts'
import { type Clock, type Duration, milliseconds, systemClock } from '../../session/index.ts'
import { StreamLink } from '../stream-link.ts'
import { FirstManners } from './output-check.ts'
import { forgetGroup, groupLives, signalGroup } from './process-groups.ts'
import { type ChildCommand, startChild } from './start.ts'
import { LastWords, QUOTED_LINES, quoted } from './stderr-tail.ts'

export interface ChildSpec extends ChildCommand {
  /**
   * How long the server may take to end once its input is closed, and once it was told to terminate. Default 2 s each.
   */
  shutdown?: { inputEnd?: Duration; terminate?: Duration }
  /** Where its standard error goes, beside the error messages that quote the end of it. Default: nowhere. */
  stderr?: 'inherit' | ((text: string) => void)
  /** Most characters that wait for a server that does not read. Default 64 Mi. */
  maxBuffered?: number
  clock?: Clock
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
  /** The last signal it was sent because it still ran some time after its input was closed. Null: it needed none. */
  readonly told: 'SIGTERM' | 'SIGKILL' | null
}

export interface ChildLink extends Link {
  readonly pid: number
  /** Kept when the process and all others of its group have ended. */
  readonly gone: Promise<ChildExit>
  /** The end of what it wrote to standard error: at most 200 lines and 64 KiB. */
  stderr(): string
  /** What it did instead of sending a message, if that is not what a server does. */
  symptoms(): string | undefined
}

/** News of one kind usually come with news of another; this is how long they are waited for. */
const NEWS_MS = 250
const POLL_MS = 25

/** Starts the process; what it says is delivered from `open` on. */
export async function childLink(spec: ChildSpec): Promise<ChildLink> {
  const waits = {
    inputEnd: milliseconds(spec.shutdown?.inputEnd ?? '2s'),
    terminate: milliseconds(spec.shutdown?.terminate ?? '2s'),
  }
  return new ProcessLink(await startChild(spec), spec, waits)
}

class ProcessLink implements ChildLink {
  readonly transport = 'stdio'
  readonly pid: number
  readonly gone: Promise<ChildExit>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #name: string
  readonly #clock: Clock
  readonly #waits: { inputEnd: number; terminate: number }
  readonly #streams: StreamLink
  readonly #words = new LastWords()
  readonly #manners: FirstManners
  #resolveGone: (exit: ChildExit) => void = () => {}
  #exit: ChildExit | undefined
  #told: ChildExit['told'] = null
  #over = false
  #groupEnded = false
  /** The next step of the shutdown. */
  #cancelStep: (() => void) | undefined
  #cancelNews: (() => void) | undefined

  constructor(child: ChildProcessWithoutNullStreams, spec: ChildSpec, waits: { inputEnd: number; terminate: number }) {
    this.#child = child
    this.pid = child.pid as number
    this.#name = spec.command
    this.#manners = new FirstManners(spec.command)
    this.#clock = spec.clock ?? systemClock
    this.#waits = waits
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#streams = new StreamLink({
      transport: this.transport,
      input: child.stdout,
      output: child.stdin,
      ...(spec.maxBuffered === undefined ? {} : { maxBuffered: spec.maxBuffered }),
      onInputEnd: () => this.#lost('closed its output'),
      onFailure: (error) => this.#lost(error instanceof ParleyError ? 'does not read its input' : 'closed its input'),
      onOver: () => this.#shutDown(),
    })
    this.#listenToErrors(spec.stderr)
    child.once('exit', (code, signal) => this.#exited({ code, signal, told: this.#told }))
    child.once('close', () => this.#report())
  }

  open(events: LinkEvents): void {
    this.#streams.open(this.#manners.watch(events))
  }

  send(frame: string): void {
    this.#manners.sent(frame)
    this.#streams.send(frame)
  }

  close(): void {
    this.#streams.close()
  }

  stderr(): string {
    return this.#words.text()
  }

  symptoms(): string | undefined {
    return this.#manners.symptoms()
  }

  #listenToErrors(wanted: ChildSpec['stderr']): void {
    const { stderr } = this.#child
    const decoder = new TextDecoder()
    stderr.on('error', () => {})
    stderr.on('data', (chunk: Uint8Array) => {
      this.#words.push(chunk)
      if (wanted === 'inherit') process.stderr.write(chunk)
      else if (wanted !== undefined) passOn(wanted, decoder.decode(chunk, { stream: true }))
    })
  }

  /** A stream is gone. Mostly the whole process is, and how it ended says more. */
  #lost(what: string): void {
    if (this.#exit === undefined) this.#cancelNews ??= this.#clock.after(NEWS_MS, () => this.#report(what))
  }

  #exited(exit: ChildExit): void {
    this.#exit = exit
    this.#cancelStep?.()
    this.#cancelNews?.()
    // Its last output may still be on the way, and may never end while something it started holds the pipe.
    this.#cancelNews = this.#clock.after(NEWS_MS, () => this.#report())
    if (signalGroup(this.pid, 'SIGTERM')) this.#sweep(this.#waits.terminate)
    else this.#groupIsGone()
  }

  #report(what?: string): void {
    this.#cancelNews?.()
    const { code = null, signal = null } = this.#exit ?? {}
    const end =
      this.#exit === undefined ? `${what}` : code === null ? `was ended by ${signal}` : `exited with code ${code}`
    const message = `The server ${JSON.stringify(this.#name)} ${end}${this.#quote()}`
    this.#streams.end(new ParleyError('connection_closed', { message, data: { exitCode: code, signal } }))
    this.#finish()
  }

  #quote(): string {
    return quoted(this.#words.text(QUOTED_LINES))
  }

  /** The ladder: input closed, SIGTERM, SIGKILL; the latter two to the whole group. */
  #shutDown(): void {
    this.#over = true
    this.#child.stdin.end()
    if (this.#exit !== undefined) return this.#finish()
    this.#cancelStep = this.#clock.after(this.#waits.inputEnd, () => {
      this.#tell('SIGTERM')
      this.#cancelStep = this.#clock.after(this.#waits.terminate, () => this.#tell('SIGKILL'))
    })
  }

  #tell(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#told = signal
    signalGroup(this.pid, signal)
  }

  /** The process has ended; what it started gets the rest of the ladder. */
  #sweep(left: number): void {
    if (!groupLives(this.pid)) return this.#groupIsGone()
    // Somebody may wait for `gone`, and a program that has nothing else to do would end before it is kept.
    if (left > 0) this.#cancelStep = this.#clock.after(POLL_MS, () => this.#sweep(left - POLL_MS), true)
    else {
      signalGroup(this.pid, 'SIGKILL')
      this.#groupIsGone()
    }
  }

  #groupIsGone(): void {
    this.#groupEnded = true
    forgetGroup(this.pid)
    this.#finish()
  }

  #finish(): void {
    if (!this.#over || !this.#groupEnded || this.#exit === undefined) return
    this.#cancelNews?.()
    // Somebody outside the group may hold the other ends, and they would keep this process alive.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy()
    this.#resolveGone(this.#exit)
  }
}

function passOn(listener: (text: string) => void, text: string): void {
  try {
    listener(text)
  } catch {
    // What a listener makes of a log line is its own affair.
  }
}

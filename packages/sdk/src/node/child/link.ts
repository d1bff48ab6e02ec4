/** A link to a server that runs as a child process. Starts the process, and ends it with everything that it started. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { ParleyError } from '../../errors/index.ts'
import type { Link, LinkEvents } from '../../jsonrpc/index.ts'
import { type Clock, type Duration, milliseconds, systemClock } from '../../session/index.ts'
import { StreamLink } from '../stream-link.ts'
import { OutputCheck } from './output-check.ts'
import { forgetGroup, groupLives, signalGroup } from './process-groups.ts'
import { type ChildCommand, startChild } from './start.ts'
import { QUOTED_LINES, quoted, StderrTail } from './stderr-tail.ts'

export interface ChildSpec extends ChildCommand {
  /** How long the server may take to end after its input was closed, and after SIGTERM. Default 2 s each. */
  shutdown?: { inputEnd?: Duration; terminate?: Duration }
  /** Where its standard error goes. Error messages quote the end of it in any case. Default: nowhere. */
  stderr?: 'inherit' | ((text: string) => void)
  /** Most characters that are buffered for a server that does not read. Default 64 Mi. */
  maxBuffered?: number
  clock?: Clock
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
  /** The last signal that was sent, because closing the input was not enough. Null: none. */
  readonly told: 'SIGTERM' | 'SIGKILL' | null
}

export interface ChildLink extends Link {
  readonly pid: number
  /** Resolves when all processes of its group have ended. */
  readonly gone: Promise<ChildExit>
  /** The end of what it wrote to standard error: at most 200 lines and 64 KiB. */
  stderr(): string
  /** What shows that the program is probably not an MCP server, if anything does. */
  symptoms(): string | undefined
}

/** A closed stream and the exit of the process usually come together. How long to wait for the other one. */
const EXIT_REPORT_DELAY_MS = 250
const POLL_MS = 25

/** Starts the process. Its output is delivered after `open`. */
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
  readonly #stderr = new StderrTail()
  readonly #outputCheck: OutputCheck
  #resolveGone: (exit: ChildExit) => void = () => {}
  #exit: ChildExit | undefined
  #told: ChildExit['told'] = null
  #over = false
  #groupEnded = false
  /** The next step of the shutdown. */
  #cancelStep: (() => void) | undefined
  #cancelReport: (() => void) | undefined

  constructor(child: ChildProcessWithoutNullStreams, spec: ChildSpec, waits: { inputEnd: number; terminate: number }) {
    this.#child = child
    this.pid = child.pid as number
    this.#name = spec.command
    this.#outputCheck = new OutputCheck(spec.command)
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
    this.#streams.open(this.#outputCheck.watch(events))
  }

  send(frame: string): void {
    this.#outputCheck.sent(frame)
    this.#streams.send(frame)
  }

  close(): void {
    this.#streams.close()
  }

  stderr(): string {
    return this.#stderr.text()
  }

  symptoms(): string | undefined {
    return this.#outputCheck.symptoms()
  }

  #listenToErrors(wanted: ChildSpec['stderr']): void {
    const { stderr } = this.#child
    const decoder = new TextDecoder()
    stderr.on('error', () => {})
    stderr.on('data', (chunk: Uint8Array) => {
      this.#stderr.push(chunk)
      if (wanted === 'inherit') process.stderr.write(chunk)
      else if (wanted !== undefined) callListener(wanted, decoder.decode(chunk, { stream: true }))
    })
  }

  /** A stream was closed. The process has usually ended too, and its exit says more. */
  #lost(what: string): void {
    if (this.#exit === undefined)
      this.#cancelReport ??= this.#clock.after(EXIT_REPORT_DELAY_MS, () => this.#report(what))
  }

  #exited(exit: ChildExit): void {
    this.#exit = exit
    this.#cancelStep?.()
    this.#cancelReport?.()
    // Its last output may still arrive. It may never end while another process holds the pipe.
    this.#cancelReport = this.#clock.after(EXIT_REPORT_DELAY_MS, () => this.#report())
    if (signalGroup(this.pid, 'SIGTERM')) this.#endGroup(this.#waits.terminate)
    else this.#onGroupEnded()
  }

  #report(what?: string): void {
    this.#cancelReport?.()
    const { code = null, signal = null } = this.#exit ?? {}
    const end =
      this.#exit === undefined ? `${what}` : code === null ? `was ended by ${signal}` : `exited with code ${code}`
    const message = `The server ${JSON.stringify(this.#name)} ${end}${this.#quote()}`
    this.#streams.end(new ParleyError('connection_closed', { message, data: { exitCode: code, signal } }))
    this.#finish()
  }

  #quote(): string {
    return quoted(this.#stderr.text(QUOTED_LINES))
  }

  /** The steps of the shutdown: close the input, then SIGTERM, then SIGKILL. Signals go to the whole group. */
  #shutDown(): void {
    this.#over = true
    this.#child.stdin.end()
    if (this.#exit !== undefined) return this.#finish()
    this.#cancelStep = this.#clock.after(this.#waits.inputEnd, () => {
      this.#signal('SIGTERM')
      this.#cancelStep = this.#clock.after(this.#waits.terminate, () => this.#signal('SIGKILL'))
    })
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#told = signal
    signalGroup(this.pid, signal)
  }

  /** The process has ended. The other processes of its group get the remaining steps. */
  #endGroup(left: number): void {
    if (!groupLives(this.pid)) return this.#onGroupEnded()
    // The timer keeps this process alive, because a caller may wait for `gone`.
    if (left > 0) this.#cancelStep = this.#clock.after(POLL_MS, () => this.#endGroup(left - POLL_MS), true)
    else {
      signalGroup(this.pid, 'SIGKILL')
      this.#onGroupEnded()
    }
  }

  #onGroupEnded(): void {
    this.#groupEnded = true
    forgetGroup(this.pid)
    this.#finish()
  }

  #finish(): void {
    if (!this.#over || !this.#groupEnded || this.#exit === undefined) return
    this.#cancelReport?.()
    // Processes outside the group may hold the other ends, which would keep this process alive.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy()
    this.#resolveGone(this.#exit)
  }
}

function callListener(listener: (text: string) => void, text: string): void {
  try {
    listener(text)
  } catch {
    // A failure of the listener does not affect the link.
  }
}

/** What those who wait for an upstream are told when it is gone, cannot be had, or was never there. */
import { catalogue, type ErrorKind, ParleyError } from 'parley-mcp'
import { quoted, STDERR } from './last-lines.ts'
import { type Redact, withoutPath } from './redaction.ts'
import type { UpstreamExit } from './status.ts'

const MAX_REASON = 2000

/** A process ended, or closed its pipes, without having been told to. */
export function crashError(name: string, exit: UpstreamExit, stderr: readonly string[]): ParleyError {
  return new ParleyError('connection_closed', {
    message: `The server ${JSON.stringify(name)} ${wayOut(exit)}${quoted(stderr)}`,
    data: { server: name, exitCode: exit.code, signal: exit.signal },
  })
}

function wayOut({ code, signal }: UpstreamExit): string {
  if (signal !== null) return `was ended by ${signal}`
  return code === null ? 'hung up without having exited' : `exited with code ${code}`
}

/** What messages begin with, and what is left of that where the name of the server stands before them. */
const BEGINNINGS: readonly (readonly [(server: string) => string, string])[] = [
  [(server) => `The server ${server} could not be started or reached: `, ''],
  [(server) => `The connection to the server ${server} was lost: `, 'the connection was lost: '],
  [(server) => `No session with the server ${server}: `, ''],
  [(server) => `The server ${server} does not answer any more: `, 'does not answer any more: '],
  [(server) => `The server ${server} `, ''],
]
type Beginning = (typeof BEGINNINGS)[0]
const [[notReached], [lost], [noSession], [notAnswering]] = BEGINNINGS as readonly [Beginning, Beginning, Beginning, Beginning]

/** For lines that name the server already. */
export function withoutName(name: string, message: string): string {
  for (const [beginning, left] of BEGINNINGS) {
    const named = beginning(JSON.stringify(name))
    if (message.startsWith(named)) return `${left}${message.slice(named.length)}`
  }
  return message
}

/** A connection ended, cleanly or not. `wasThere`: something had come over it. */
export function lostConnection(name: string, reason: Error | undefined, wasThere: boolean, redact: Redact): ParleyError {
  if (reason === undefined) {
    return new ParleyError('connection_closed', { message: `The server ${JSON.stringify(name)} closed the connection`, data: { server: name } })
  }
  return renamed((wasThere ? lost : notReached)(JSON.stringify(name)), name, reason, 'connection_closed', redact)
}

/** It is there, and does not answer. */
export function unresponsive(name: string, reason: Error, redact: Redact): ParleyError {
  return renamed(notAnswering(JSON.stringify(name)), name, reason, 'peer_unresponsive', redact)
}

/** A process or a connection did not come about. */
export function startError(name: string, cause: unknown, redact: Redact): ParleyError {
  return renamed(notReached(JSON.stringify(name)), name, cause, 'transport_error', redact)
}

/** With which it answered over HTTP instead of speaking. */
export function statusIn(error: unknown): number | undefined {
  const status = error instanceof ParleyError && error.receivedCode === undefined ? error.data?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

/** The same without what is for the log alone. */
export function discreetStart(error: Error): Error {
  const message = withoutPath(error.message)
  if (message === error.message || !(error instanceof ParleyError)) return error
  return new ParleyError(error.kind, { message, ...(error.data && { data: error.data }) })
}

/** Why no session came about, with what only the process shows; `summary` is that without what it wrote. */
export function explained(
  name: string,
  error: unknown,
  { symptoms, stderr }: { readonly symptoms: string | undefined; readonly stderr: readonly string[] },
  redact: Redact,
): { readonly error: ParleyError; readonly summary: string } {
  const [words, wrote] = split(redact(wordsOf(error)))
  const unnamed = noSession(JSON.stringify(name))
  const named = words.includes(JSON.stringify(name)) ? words : `${unnamed}${words}`
  // What else is there to say of one that sends everything back is about messages of our own.
  const isEcho = symptoms !== undefined && ECHO.test(symptoms)
  const summary = symptoms === undefined ? named : isEcho ? `${unnamed}${redact(symptoms)}` : `${named}; ${redact(symptoms)}`
  const known = error instanceof ParleyError ? error : undefined
  return {
    summary,
    error: new ParleyError(kindFor(known), { message: `${summary}${wrote || quoted(stderr)}`, data: { ...(known && originalData(known)), server: name } }),
  }
}

const ECHO = / echoes its input\b/

/** What the error says to programs, and what it was where it becomes another one. */
function originalData(known: ParleyError): Record<string, unknown> {
  const data: Record<string, unknown> = { ...known.data }
  // X5: `server` is the name of the one that was configured, to everybody.
  if (known.kind === 'unsupported_protocol_version' && data['server'] !== undefined) data['serverVersion'] = data['server']
  if (kindFor(known) !== known.kind) data['originalKind'] = known.kind
  if (known.code !== INTERNAL) data['originalCode'] = known.code
  return data
}

const INTERNAL = -32603

/** What a server has against the gateway is nothing that its client has done: nobody must take it for a word on their own request. */
function kindFor(known: ParleyError | undefined): ErrorKind {
  return known !== undefined && catalogue[known.kind].codes.every(({ code }) => code === INTERNAL) ? known.kind : 'transport_error'
}

/** A message, and what was quoted at its end. */
function split(message: string): readonly [string, string] {
  const at = message.indexOf(STDERR)
  return at === -1 ? [message, ''] : [message.slice(0, at), message.slice(at)]
}

/** Of the same kind, because kinds decide what a client does next. What the cause says in confidence stays out, so it does not come along. */
function renamed(beginning: string, name: string, cause: unknown, kind: ParleyError['kind'], redact: Redact): ParleyError {
  const message = `${beginning}${saidOnce(redact(wordsOf(cause))).slice(0, MAX_REASON)}`
  if (!(cause instanceof ParleyError)) return new ParleyError(kind, { message, data: { server: name } })
  return new ParleyError(cause.kind, {
    message,
    data: { ...cause.data, server: name },
    ...(cause.receivedCode === undefined ? {} : { code: cause.receivedCode }),
  })
}

/** Two ways to an address may fail alike, and one is as good as both. */
function saidOnce(words: string): string {
  const half = (words.length - 2) / 2
  for (let at = words.indexOf('; '); at !== -1; at = words.indexOf('; ', at + 1)) {
    const second = words.slice(at + 2)
    if (second.length <= half && words.slice(0, at).endsWith(second)) return words.slice(0, at)
  }
  return words
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

export interface Unavailability {
  readonly name: string
  /** Why, as a sentence without an end. */
  readonly because: string
  readonly stderr: readonly string[]
  readonly now: number
  readonly nextAttemptAt?: number | undefined
}

/** It is known that asking would be in vain. */
export function unavailable({ name, because, stderr, now, nextAttemptAt }: Unavailability): ParleyError {
  const wait = nextAttemptAt === undefined ? undefined : Math.max(0, nextAttemptAt - now)
  const when = nextAttemptAt === undefined ? '' : `; the next attempt is possible in ${Math.ceil((wait as number) / 1000)} s, at ${iso(nextAttemptAt)}`
  return new ParleyError('refusal_unavailable', {
    message: `The server ${JSON.stringify(name)} is not available: ${because}${when}${quoted(stderr)}`,
    data: { server: name, ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: iso(nextAttemptAt), retryAfterMs: wait }) },
  })
}

const finals = new WeakSet<Error>()

/** It has ended, and is not started again for whoever had it. */
export function finished(unavailability: Unavailability): ParleyError {
  const error = unavailable(unavailability)
  finals.add(error)
  return error
}

/** Whether asking again would always be in vain. */
export function isFinal(error: Error): boolean {
  return finals.has(error)
}

export function isUnavailable(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.kind === 'refusal_unavailable'
}

export function stoppedError(name: string): ParleyError {
  return new ParleyError('shutting_down', { message: `The server ${JSON.stringify(name)} was stopped by the gateway`, data: { server: name } })
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

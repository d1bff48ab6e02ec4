/** Errors for clients of a server that ended, cannot be reached or is not available. */
import { catalogue, type ErrorKind, ParleyError } from 'parley-mcp'
import { type Redact, withoutPath } from './redaction.ts'
import type { UpstreamExit } from './status.ts'
import { quoted, STDERR } from './stderr-lines.ts'

const MAX_REASON = 2000

/** A process exited or closed its pipes without a request from the gateway. */
export function crashError(name: string, exit: UpstreamExit, stderr: readonly string[]): ParleyError {
  return new ParleyError('connection_closed', {
    message: `The server ${JSON.stringify(name)} ${exitText(exit)}${quoted(stderr)}`,
    data: { server: name, exitCode: exit.code, signal: exit.signal },
  })
}

function exitText({ code, signal }: UpstreamExit): string {
  if (signal !== null) return `was ended by ${signal}`
  return code === null ? 'closed its pipes without exiting' : `exited with code ${code}`
}

/** Beginnings of messages, each with the short form for lines that already name the server. */
const BEGINNINGS: readonly (readonly [(server: string) => string, string])[] = [
  [(server) => `The server ${server} could not be started or reached: `, ''],
  [(server) => `The connection to the server ${server} was lost: `, 'the connection was lost: '],
  [(server) => `No session with the server ${server}: `, ''],
  [(server) => `The server ${server} does not answer any more: `, 'does not answer any more: '],
  [(server) => `The server ${server} `, ''],
]
type Beginning = (typeof BEGINNINGS)[0]
const [[notReached], [lost], [noSession], [notAnswering]] = BEGINNINGS as readonly [
  Beginning,
  Beginning,
  Beginning,
  Beginning,
]

/** Shortens a message for a line that already names the server. */
export function withoutName(name: string, message: string): string {
  for (const [beginning, left] of BEGINNINGS) {
    const named = beginning(JSON.stringify(name))
    if (message.startsWith(named)) return `${left}${message.slice(named.length)}`
  }
  return message
}

/** A connection ended, cleanly or not. `wasThere`: the server had sent something over it. */
export function lostConnection(
  name: string,
  reason: Error | undefined,
  wasThere: boolean,
  redact: Redact,
): ParleyError {
  if (reason === undefined) {
    return new ParleyError('connection_closed', {
      message: `The server ${JSON.stringify(name)} closed the connection`,
      data: { server: name },
    })
  }
  return renamed((wasThere ? lost : notReached)(JSON.stringify(name)), name, reason, 'connection_closed', redact)
}

/** The server is reachable but does not answer. */
export function unresponsive(name: string, reason: Error, redact: Redact): ParleyError {
  return renamed(notAnswering(JSON.stringify(name)), name, reason, 'peer_unresponsive', redact)
}

/** The process did not start, or the connection was not made. */
export function startError(name: string, cause: unknown, redact: Redact): ParleyError {
  return renamed(notReached(JSON.stringify(name)), name, cause, 'transport_error', redact)
}

/** The HTTP status with which the server answered instead of an MCP message. */
export function statusIn(error: unknown): number | undefined {
  const status = error instanceof ParleyError && error.receivedCode === undefined ? error.data?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

/** The same error without the search path, which only the log shows. */
export function withoutSearchPath(error: Error): Error {
  const message = withoutPath(error.message)
  if (message === error.message || !(error instanceof ParleyError)) return error
  return new ParleyError(error.kind, { message, ...(error.data && { data: error.data }) })
}

/** Explains why no session was opened, with the symptoms of the process. `summary` leaves out its standard error. */
export function explained(
  name: string,
  error: unknown,
  { symptoms, stderr }: { readonly symptoms: string | undefined; readonly stderr: readonly string[] },
  redact: Redact,
): { readonly error: ParleyError; readonly summary: string } {
  const [text, stderrText] = splitStderr(redact(messageOf(error)))
  const unnamed = noSession(JSON.stringify(name))
  const named = text.includes(JSON.stringify(name)) ? text : `${unnamed}${text}`
  // If the program echoes its input, any other error text is about the gateway's own messages.
  const isEcho = symptoms !== undefined && ECHO.test(symptoms)
  const summary =
    symptoms === undefined ? named : isEcho ? `${unnamed}${redact(symptoms)}` : `${named}; ${redact(symptoms)}`
  const known = error instanceof ParleyError ? error : undefined
  return {
    summary,
    error: new ParleyError(kindFor(known), {
      message: `${summary}${stderrText || quoted(stderr)}`,
      data: { ...(known && originalData(known)), server: name },
    }),
  }
}

const ECHO = / echoes its input\b/

/** The error's data, with its original kind and code where the new error has others. */
function originalData(known: ParleyError): Record<string, unknown> {
  const data: Record<string, unknown> = { ...known.data }
  // X5: in the gateway, `server` is always the configured name.
  if (known.kind === 'unsupported_protocol_version' && data['server'] !== undefined)
    data['serverVersion'] = data['server']
  if (kindFor(known) !== known.kind) data['originalKind'] = known.kind
  if (known.code !== INTERNAL) data['originalCode'] = known.code
  return data
}

const INTERNAL = -32603

/** A server's complaint about the gateway must not look like an error of the client's own request. */
function kindFor(known: ParleyError | undefined): ErrorKind {
  return known !== undefined && catalogue[known.kind].codes.every(({ code }) => code === INTERNAL)
    ? known.kind
    : 'transport_error'
}

/** Splits a message from the standard error quoted at its end. */
function splitStderr(message: string): readonly [string, string] {
  const at = message.indexOf(STDERR)
  return at === -1 ? [message, ''] : [message.slice(0, at), message.slice(at)]
}

/**
 * A new error of the same kind, because the kind decides what a client does next. The cause is not attached: its text
 * may contain secrets.
 */
function renamed(
  beginning: string,
  name: string,
  cause: unknown,
  kind: ParleyError['kind'],
  redact: Redact,
): ParleyError {
  const message = `${beginning}${withoutRepetition(redact(messageOf(cause))).slice(0, MAX_REASON)}`
  if (!(cause instanceof ParleyError)) return new ParleyError(kind, { message, data: { server: name } })
  return new ParleyError(cause.kind, {
    message,
    data: { ...cause.data, server: name },
    ...(cause.receivedCode === undefined ? {} : { code: cause.receivedCode }),
  })
}

/** Two attempts at one address often fail with the same text. Keeps one of them. */
function withoutRepetition(text: string): string {
  const half = (text.length - 2) / 2
  for (let at = text.indexOf('; '); at !== -1; at = text.indexOf('; ', at + 1)) {
    const second = text.slice(at + 2)
    if (second.length <= half && text.slice(0, at).endsWith(second)) return text.slice(0, at)
  }
  return text
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

export interface Unavailability {
  readonly name: string
  /** The reason, as a clause without a full stop. */
  readonly because: string
  readonly stderr: readonly string[]
  readonly now: number
  readonly nextAttemptAt?: number | undefined
}

/** A request would certainly fail now. */
export function unavailable({ name, because, stderr, now, nextAttemptAt }: Unavailability): ParleyError {
  const wait = nextAttemptAt === undefined ? undefined : Math.max(0, nextAttemptAt - now)
  const when =
    nextAttemptAt === undefined
      ? ''
      : `; the next attempt is possible in ${Math.ceil((wait as number) / 1000)} s, at ${iso(nextAttemptAt)}`
  return new ParleyError('refusal_unavailable', {
    message: `The server ${JSON.stringify(name)} is not available: ${because}${when}${quoted(stderr)}`,
    data: {
      server: name,
      ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: iso(nextAttemptAt), retryAfterMs: wait }),
    },
  })
}

/** The server ended, and the restart policy does not start it again for this client. */
class FinishedError extends ParleyError {}

export function finished(unavailability: Unavailability): ParleyError {
  const { message, data = {} } = unavailable(unavailability)
  return new FinishedError('refusal_unavailable', { message, data })
}

/** Whether a retry can never succeed. */
export function isFinal(error: Error): boolean {
  return error instanceof FinishedError
}

export function isUnavailable(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.kind === 'refusal_unavailable'
}

export function stoppedError(name: string): ParleyError {
  return new ParleyError('shutting_down', {
    message: `The server ${JSON.stringify(name)} was stopped by the gateway`,
    data: { server: name },
  })
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

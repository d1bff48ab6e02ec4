/** Why a request got no answer, or none that was worth waiting for, in words. */
import { KIND_KEY, ParleyError, type WireError } from '../../errors/index.ts'
import type { Pending } from './pending.ts'

export function cancelled(method: string, signal: AbortSignal): ParleyError {
  const reason: unknown = signal.reason
  const why =
    reason instanceof Error && reason.name !== 'AbortError'
      ? `: ${reason.message}`
      : typeof reason === 'string'
        ? `: ${reason}`
        : ''
  return new ParleyError('request_cancelled', { message: `${method} was cancelled by the caller${why}`, cause: reason })
}

export function takenBack(method: string, reason: string): ParleyError {
  return new ParleyError('request_cancelled', { message: `${method} was cancelled: ${reason}` })
}

export function timedOut(pending: Pending, now: number): ParleyError {
  const waited = now - pending.startedAt
  const limit = pending.deadline >= pending.hardDeadline ? 'the hard maximum' : 'no answer and no progress'
  return new ParleyError('request_timeout', { message: `${pending.method} timed out after ${waited} ms (${limit})` })
}

export function lostRequest(method: string, reason: Error | undefined): ParleyError {
  if (reason instanceof ParleyError && reason.kind === 'peer_unresponsive')
    return new ParleyError('peer_unresponsive', { message: `${method}: ${reason.message}`, cause: reason })
  const why = reason === undefined ? '' : `: ${reason.message}`
  return new ParleyError('connection_closed', {
    message: `The connection ended before ${method} was answered${why}`,
    cause: reason,
  })
}

/** The answer came and cannot be read: it is too long, or no message. */
export function unreadable(method: string, { message, data }: WireError): ParleyError {
  const isTooLarge = (data as Record<string, unknown> | undefined)?.[KIND_KEY] === 'message_too_large'
  if (isTooLarge)
    return new ParleyError('result_too_large', { message: `The answer to ${method} is too long: ${message}` })
  return new ParleyError('invalid_answer', { message: `The peer's answer to ${method} is invalid: ${message}` })
}

/** For requests of the peer, when the session ends before they are answered. */
export function endedUnanswered(): ParleyError {
  return new ParleyError('session_closed', { message: 'The session ended before the request was answered' })
}

/** The same for requests that know of no session. */
export function shutDownUnanswered(): ParleyError {
  return new ParleyError('shutting_down', { message: 'The server shut down before the request was answered' })
}

export function shown(value: unknown): string {
  return String(JSON.stringify(value) ?? value).slice(0, 80)
}

/** The client was given so many milliseconds. */
export function handshakeTimedOut(ms: number): ParleyError {
  return new ParleyError('initialization_timeout', {
    message: `The client did not complete the handshake within ${ms} ms`,
  })
}

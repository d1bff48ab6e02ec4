/** Responses that are no answer: what each status means to a client, in one error. */
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import { type ErrorMessage, parse, type RequestId } from '../../jsonrpc/index.ts'
import { excerpt, readBeginning } from './client-body.ts'
import { type HttpReply, shownUrl } from './client-call.ts'
import type { Posting } from './client-outbox.ts'

export interface Refusal {
  readonly status: number
  readonly error: ParleyError
  /** The JSON-RPC error in the body: proof that a server of this protocol read the message. */
  readonly message: ErrorMessage | undefined
}

const KINDS: Readonly<Record<number, ErrorKind>> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited' }

/** What the body of a refusal says, as the end of a sentence. */
export function refusalWords(text: string): string {
  const parsed = parse(text)
  return parsed.kind === 'error' ? parsed.message.error.message : excerpt(text)
}

/** Reads the body of a response whose status, or type, says that it carries no answer. */
export async function readRefusal(reply: HttpReply, url: URL): Promise<Refusal> {
  const text = await readBeginning(reply)
  const parsed = parse(text)
  const message = parsed.kind === 'error' ? parsed.message : undefined
  const { status } = reply
  const retryAfter = reply.header('retry-after')
  const wwwAuthenticate = reply.header('www-authenticate')
  const type = reply.header('content-type')
  const unexpected =
    status >= 200 && status < 300 ? ` with ${type === undefined ? 'no content type' : type.slice(0, 80)}` : ''
  const error = new ParleyError(KINDS[status] ?? 'transport_error', {
    message: `${shownUrl(url)} answered ${status}${unexpected}: ${refusalWords(text)}`,
    data: {
      status,
      ...(message === undefined ? {} : { code: message.error.code }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(wwwAuthenticate === undefined ? {} : { wwwAuthenticate }),
    },
  })
  return { status, error, message }
}

/** The status behind an error of this transport; undefined when no response came at all. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof ParleyError && error.receivedCode === undefined ? error.data?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504])

/** Whether the same request may well succeed later: nobody was reached, or who was reached is busy. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ParleyError)) return false
  const status = statusOf(error)
  return status === undefined ? error.kind === 'transport_error' : PASSING.has(status)
}

/**
 * Numbers without a meaning of their own: the HTTP layers of servers use them for what never came as far as the
 * protocol.
 */
const isOfNoMeaning = (code: number): boolean => code >= -32019 && code <= -32000

/**
 * Whether the error in a refusal is the answer to a request, which proves that it was read. 405 is said of the path and
 * not of what was posted there; without the id of the request, an error must be one that the specification knows. Who
 * asks what a server is must not take the word of one that is busy or broken for what it is (D-65).
 */
export function answerIn(
  { status, message }: Refusal,
  { method, requests: [request] }: Posting,
): ErrorMessage | undefined {
  if (message === undefined || status === 405) return undefined
  if (method === 'server/discover' && (status >= 500 || PASSING.has(status))) return undefined
  return (request !== undefined && message.id === request) || !isOfNoMeaning(message.error.code) ? message : undefined
}

const METHOD_NOT_FOUND = -32601

/**
 * Whether a refusal of a request that named its session means that the session is gone. The specification's word for it
 * is 404; servers made after a well-known example say 400 and speak of the session or of initialization, in an error
 * that answers no request.
 */
export function losesSession({ status, message }: Refusal, requests: readonly RequestId[]): boolean {
  if (status === 404) return !(message?.error.code === METHOD_NOT_FOUND && requests.includes(message.id as RequestId))
  if (status !== 400 || message === undefined || requests.includes(message.id as RequestId)) return false
  return /session|not initialized/i.test(message.error.message)
}

export function sessionLost(url: URL, { status }: Refusal): ParleyError {
  return new ParleyError('session_lost', {
    message: `${shownUrl(url)} no longer knows the session (${status})`,
    data: { status },
  })
}

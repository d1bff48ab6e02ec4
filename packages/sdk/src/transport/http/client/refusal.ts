/** Refusals of an HTTP server, as errors. */
import { type ErrorKind, ParleyError } from '../../../errors/index.ts'
import { type ErrorMessage, parse, type RequestId } from '../../../jsonrpc/index.ts'
import { excerpt, readBeginning } from './body.ts'
import { type HttpReply, shownUrl } from './call.ts'
import type { Posting } from './outbox.ts'

export interface Refusal {
  readonly status: number
  readonly error: ParleyError
  /** The JSON-RPC error in the body. It proves that an MCP server read the message. */
  readonly message: ErrorMessage | undefined
}

const KINDS: Readonly<Record<number, ErrorKind>> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited' }

/** The text of a refusal, for the end of an error message. */
export function refusalText(text: string): string {
  const parsed = parse(text)
  return parsed.kind === 'error' ? parsed.message.error.message : excerpt(text)
}

/** Reads a response whose status or type shows that it is not an answer. */
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
    message: `${shownUrl(url)} answered ${status}${unexpected}: ${refusalText(text)}`,
    data: {
      status,
      ...(message === undefined ? {} : { code: message.error.code }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(wwwAuthenticate === undefined ? {} : { wwwAuthenticate }),
    },
  })
  return { status, error, message }
}

/** The HTTP status of an error of this transport. Undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof ParleyError && error.receivedCode === undefined ? error.data?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504])

/** Whether the request may succeed later: the server was unreachable or busy. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ParleyError)) return false
  const status = statusOf(error)
  return status === undefined ? error.kind === 'transport_error' : TEMPORARY.has(status)
}

/** Codes without a defined meaning. The HTTP layers of servers use them for their own refusals. */
const isUndefinedCode = (code: number): boolean => code >= -32019 && code <= -32000

/**
 * The error in a refusal, if it answers the request. A 405 is about the path, not about the message. Without the id of
 * the request, the error must be defined by the specification. For `server/discover`, errors of a busy or broken server
 * do not count, because the client would draw wrong conclusions (D-65).
 */
export function answerIn(
  { status, message }: Refusal,
  { method, requests: [request] }: Posting,
): ErrorMessage | undefined {
  if (message === undefined || status === 405) return undefined
  if (method === 'server/discover' && (status >= 500 || TEMPORARY.has(status))) return undefined
  return (request !== undefined && message.id === request) || !isUndefinedCode(message.error.code) ? message : undefined
}

const METHOD_NOT_FOUND = -32601

/**
 * Whether a refusal means that the session is gone. The specification says 404. Servers based on a well-known example
 * send 400, with an error that mentions the session or initialization and answers no request.
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

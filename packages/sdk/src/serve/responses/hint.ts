/** Refusals with a hint, for clients of another transport and for browsers. */
import { acceptedTypes, type Exchange, type ResponseHeaders } from '../../transport/index.ts'
import { refuse } from './refusal.ts'

/** The refused request. */
export interface HintRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  header(name: string): string | undefined
}

/** The refusal without a hint. */
export interface HintRefusal {
  readonly status: number
  readonly message: string
}

export interface Hint {
  /** For programs: the message of the error. */
  readonly message: string
  /** For browsers: the whole page, as plain text. */
  readonly text: string
}

export interface HintOptions {
  /**
   * Returns a better text for a refusal: of an unknown path, a wrong method, or a request without a session. The status
   * stays. Default: the message of the error.
   */
  hint?: ((request: HintRequest, refusal: HintRefusal) => Hint | undefined) | undefined
}

const TEXT_HEADERS: ResponseHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export function refuseWithHint(
  exchange: Exchange,
  { hint }: HintOptions,
  status: number,
  message: string,
  headers?: ResponseHeaders,
): void {
  const { method, path } = exchange
  const hinted = hint?.({ method, path, header: (name) => exchange.header(name.toLowerCase()) }, { status, message })
  const isBrowser = method === 'GET' && acceptedTypes(exchange.header('accept')).text
  if (!isBrowser) return refuse(exchange, status, 'invalid_request', hinted?.message ?? message, headers)
  exchange.respond(
    status,
    { ...TEXT_HEADERS, ...headers },
    hinted?.text ?? `This server is for MCP clients, not for browsers.\n${message}\n`,
  )
}

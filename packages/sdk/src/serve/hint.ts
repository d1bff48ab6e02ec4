/** Words for who has come to the wrong place: a client to the path of another transport, or a person with a browser. */
import { acceptance, type Exchange, type ResponseHeaders } from '../transport/index.ts'
import { refuse } from './refusal.ts'

/** Who is refused. */
export interface Asked {
  readonly method: string
  /** Without the query. */
  readonly path: string
  header(name: string): string | undefined
}

/** How that would be refused without a hint. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

export interface Hint {
  /** For programs: the message of the error. */
  readonly message: string
  /** For people: the whole of what they read, as plain text. */
  readonly text: string
}

export interface HintOptions {
  /**
   * Words for who comes to a path where nothing is, or to an endpoint by a wrong method or without a session, as
   * browsers do; the status stays. Default: those of the error.
   */
  hint?: ((asked: Asked, refusal: Refusal) => Hint | undefined) | undefined
}

const TEXT_HEADERS: ResponseHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export function turnAway(
  exchange: Exchange,
  { hint }: HintOptions,
  status: number,
  message: string,
  headers?: ResponseHeaders,
): void {
  const { method, path } = exchange
  const words = hint?.({ method, path, header: (name) => exchange.header(name.toLowerCase()) }, { status, message })
  const isPerson = method === 'GET' && acceptance(exchange.header('accept')).text
  if (!isPerson) return refuse(exchange, status, 'invalid_request', words?.message ?? message, headers)
  exchange.respond(
    status,
    { ...TEXT_HEADERS, ...headers },
    words?.text ?? `This server is for MCP clients, not for browsers.\n${message}\n`,
  )
}

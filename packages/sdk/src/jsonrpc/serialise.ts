/**
 * From messages to text. The envelope is written by hand: it is short, and a body that is already text need not be
 * parsed again.
 */
import { type ErrorKind, ParleyError, type WireError } from '../errors/index.ts'
import type { Body, RequestId } from './message.ts'
import { textAsNoted } from './noted-text.ts'

/** A result that is already JSON text in the peer's version, such as a cached list. */
export class Serialised {
  readonly json: string
  /** Whether it is given more than once, so that its bytes are worth keeping. */
  readonly kept: boolean
  #bytes: Uint8Array | undefined

  constructor(json: string, { kept = true }: { kept?: boolean } = {}) {
    this.json = json
    this.kept = kept
  }

  /** The same in UTF-8, made once: transports that write bytes need not encode a long list again for every client. */
  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(this.json)
    return this.#bytes
  }
}

/** Writes parameters in place of the usual way. */
export type WriteParams = (params: Body) => string

export function requestText(
  id: RequestId,
  method: string,
  params: Body | undefined,
  write: WriteParams = paramsText,
): string {
  const tail = params === undefined ? '}' : `,"params":${write(params)}}`
  return `{"jsonrpc":"2.0","id":${idText(id)},"method":${JSON.stringify(method)}${tail}`
}

export function notificationText(method: string, params: Body | undefined): string {
  const tail = params === undefined ? '}' : `,"params":${bodyText(params, 'invalid_params')}}`
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${tail}`
}

export function resultText(id: RequestId, result: Body | Serialised): string {
  const body = result instanceof Serialised ? result.json : bodyText(result, 'internal_error')
  return `${resultHead(id)}${body}}`
}

/** What comes before the result; after it comes a brace. */
export function resultHead(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":`
}

/**
 * `null` writes `"id":null` as JSON-RPC demands for unreadable requests; `undefined` leaves the member out, as
 * 2025-11-25 allows.
 */
export function errorText(id: RequestId | null | undefined, error: WireError): string {
  const head = id === undefined ? '' : `"id":${id === null ? 'null' : idText(id)},`
  return `{"jsonrpc":"2.0",${head}"error":${JSON.stringify(error)}}`
}

function idText(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id)
}

export function paramsText(params: Body): string {
  return bodyText(params, 'invalid_params')
}

/** Cycles, BigInt and a `toJSON` that throws or returns nothing end in one clear error. */
export function bodyText(body: Body, kind: ErrorKind): string {
  let cause: unknown
  try {
    const text: string | undefined = textAsNoted(body) ?? JSON.stringify(body)
    if (text !== undefined) return text
  } catch (thrown) {
    cause = thrown
  }
  throw new ParleyError(kind, { message: 'The message cannot be written as JSON', cause })
}

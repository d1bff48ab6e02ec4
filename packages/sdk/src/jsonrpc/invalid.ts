/** Frames that are no message, with as much as can be said about them. */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { Invalid, RequestId } from './message.ts'

export function invalid(kind: ErrorKind, message: string, id?: RequestId, isAnswer = false): Invalid {
  return { kind: 'invalid', id, error: new ParleyError(kind, { message }).toWire(), isAnswer }
}

/**
 * How much of each end of a frame `oversized` looks at: enough for an id of some hundred characters that are all
 * escaped.
 */
export const ENDS = 4096

const ID = String.raw`("(?:[^"\\]|\\.)*"|-?\d{1,16})`
const LEAD = String.raw`^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*${ID}\s*,)*\s*`
const answerStart = new RegExp(`${LEAD}"(?:result|error)"\\s*:`)
const requestStart = new RegExp(`${LEAD}"method"\\s*:`)
const idAtStart = new RegExp(String.raw`^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*${ID}\s*,`)
// The last brace closes the message itself, so what stands before it is a member of the message.
const idAtEnd = new RegExp(String.raw`,\s*"id"\s*:\s*${ID}\s*\}\s*$`)

/**
 * A frame that is too long to be read. Only its beginning and its end are known. Nearly every sender writes the id in
 * one of the two places, so the request can fail at once.
 */
export function oversized(head: string, tail: string, maxBytes: number): Invalid {
  const isAnswer = answerStart.test(head)
  const message = `Messages are limited to ${maxBytes} bytes`
  if (!isAnswer && !requestStart.test(head)) return invalid('message_too_large', message)
  const written = idAtStart.exec(head)?.[1] ?? idAtEnd.exec(tail)?.[1]
  return invalid('message_too_large', message, written === undefined ? undefined : readId(written), isAnswer)
}

function readId(written: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(written)
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : undefined
  } catch {
    return undefined
  }
}

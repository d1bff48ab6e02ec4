/** Reads the bodies of responses as text, within limits. */
import { ParleyError } from '../../../errors/index.ts'
import type { SseEvent, SseParser } from '../../sse.ts'
import type { HttpReply } from './call.ts'

const EXCERPT_LENGTH = 200
/** Enough for the text of an error. */
const MAX_REFUSAL_BYTES = 64 * 1024

/** The whole body; throws `result_too_large`, or `parse_error` when it is not UTF-8. */
export async function readText(reply: HttpReply, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  await reply.read((chunk) => {
    length += chunk.length
    if (length > maxBytes)
      throw new ParleyError('result_too_large', { message: `The answer is longer than ${maxBytes} bytes` })
    chunks.push(chunk)
  })
  return decodeUtf8(chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks, length))
}

/** Reads the beginning of a body, for an error message. Never fails. */
export async function readBeginning(reply: HttpReply): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    await reply.read((chunk) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_REFUSAL_BYTES) throw new RangeError('enough')
    })
  } catch {
    // Show what has arrived.
  }
  return new TextDecoder().decode(joined(chunks, length))
}

/** The field names of an event may add this many characters to its data. */
export const FIELD_NAMES_LENGTH = 1024

/** Reads all events of a stream. Throws `parse_error`, `result_too_large`, or the error of a broken connection. */
export function readEvents(reply: HttpReply, parser: SseParser, take: (event: SseEvent) => void): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return reply.read((chunk) => {
    let text: string
    try {
      text = decoder.decode(chunk, { stream: true })
    } catch {
      throw notUtf8()
    }
    for (const event of parser.push(text)) take(event)
  })
}

/** Reads the body and drops it, so that the connection can be used again. */
export async function drain(reply: HttpReply): Promise<void> {
  await readBeginning(reply)
}

export function excerpt(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line === '') return '(an empty body)'
  // The beginning of an HTML page does not say what is wrong.
  if (/^<(?:!doctype html|html|head|body|h1)\b/i.test(line)) return 'an HTML page'
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line
}

const strict = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw notUtf8()
  }
}

function notUtf8(): ParleyError {
  return new ParleyError('parse_error', { message: 'The answer is not valid UTF-8' })
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

export function mediaType(reply: HttpReply): string {
  const header = reply.header('content-type') ?? ''
  const end = header.indexOf(';')
  return (end === -1 ? header : header.slice(0, end)).trim().toLowerCase()
}

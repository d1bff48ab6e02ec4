/** Bodies of responses as text, never more of one than allowed. */
import { ParleyError } from '../../errors/index.ts'
import type { SseEvent, SseParser } from '../sse.ts'
import type { HttpReply } from './client-call.ts'

const EXCERPT = 200
/** Enough for any error a server has to tell. */
const REFUSAL_BYTES = 64 * 1024

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

/** The beginning of a body that is read for a person; never fails. */
export async function readBeginning(reply: HttpReply): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    await reply.read((chunk) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > REFUSAL_BYTES) throw new RangeError('enough')
    })
  } catch {
    // What came is all there is to show.
  }
  return new TextDecoder().decode(joined(chunks, length))
}

/** What the names of its fields add to the length of an event. */
export const FIELD_NAMES = 1024

/**
 * Every event of a stream; throws `parse_error` or `result_too_large` when it cannot be read, and what `read` throws
 * when it breaks off.
 */
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

/** Reads and forgets, so that the connection can be used again. */
export async function drain(reply: HttpReply): Promise<void> {
  await readBeginning(reply)
}

export function excerpt(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line === '') return '(an empty body)'
  // Written for browsers: nothing in its beginning says what is wrong.
  if (/^<(?:!doctype html|html|head|body|h1)\b/i.test(line)) return 'an HTML page'
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line
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

/**
 * What the responses of both eras have in common: their headers, their bodies, and what is written to keep them alive.
 */
import { type RequestId, resultHead, type Serialised } from '../jsonrpc/index.ts'
import { EVENT_STREAM, JSON_TYPE, type ResponseBody, type ResponseHeaders, sseComment } from '../transport/index.ts'

export const JSON_HEADERS: ResponseHeaders = Object.freeze({ 'content-type': JSON_TYPE })
export const STREAM_HEADERS: ResponseHeaders = Object.freeze({
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
})
export const NO_HEADERS: ResponseHeaders = Object.freeze({})

/** An answer that takes at least this many beats becomes a stream, which can be kept alive. */
export const PATIENCE = 2

export const BEATS_PER_HEARTBEAT = 3
export const HEARTBEAT: string = sseComment('keep-alive')
/** Even with nothing to say, the headers of a stream must leave. */
export const OPENING: string = sseComment('open')

/** How often the pulse must beat for heartbeats to be about right. */
export function pulsePeriod(heartbeat: number): number {
  return heartbeat / BEATS_PER_HEARTBEAT
}

/** The same for answers that are to become streams soon, in milliseconds: after a second at most. */
export function briskPeriod(heartbeat: number): number {
  return Math.min(500, pulsePeriod(heartbeat))
}

/** The body of an answer; a result the server keeps goes out in the bytes that are kept. */
export function answerBody(id: RequestId, frame: string, kept: Serialised | undefined): ResponseBody {
  return kept === undefined ? frame : [resultHead(id), kept.bytes, '}']
}

/** Headers, bodies and keep-alive comments of the responses of both eras. */
import { type RequestId, resultHead, type Serialised } from '../../jsonrpc/index.ts'
import { EVENT_STREAM, JSON_TYPE, type ResponseBody, type ResponseHeaders, sseComment } from '../../transport/index.ts'

export const JSON_HEADERS: ResponseHeaders = Object.freeze({ 'content-type': JSON_TYPE })
export const STREAM_HEADERS: ResponseHeaders = Object.freeze({
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
})
export const NO_HEADERS: ResponseHeaders = Object.freeze({})

/** An answer that takes this many beats becomes a stream, which can be kept alive. */
export const BEATS_BEFORE_STREAM = 2

export const BEATS_PER_HEARTBEAT = 3
export const KEEP_ALIVE: string = sseComment('keep-alive')
/** Written first, so that the headers of a stream are sent. */
export const STREAM_OPENED: string = sseComment('open')

/** The time between two beats, in milliseconds. `heartbeat`: the time between two keep-alive comments. */
export function heartbeatPeriod(heartbeat: number): number {
  return heartbeat / BEATS_PER_HEARTBEAT
}

/** The same for answers that should become streams within a second. */
export function fastHeartbeatPeriod(heartbeat: number): number {
  return Math.min(500, heartbeatPeriod(heartbeat))
}

/** The body of an answer. A result that the server keeps as bytes is not serialised again. */
export function answerBody(id: RequestId, frame: string, kept: Serialised | undefined): ResponseBody {
  return kept === undefined ? frame : [resultHead(id), kept.bytes, '}']
}

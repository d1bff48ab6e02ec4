/** HTTP/2 for the client's HTTP links, as far as tests need it: everything on one connection. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { brokenOff, type HttpCall, type HttpReply, unreachable } from '../../src/transport/index.ts'

export interface Http2Caller {
  readonly call: HttpCall
  close(): void
}

/** `ca` is whom to trust beside the usual ones. */
export function http2Caller(ca?: string): Http2Caller {
  let session: ClientHttp2Session | undefined
  const sessionTo = (origin: string): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) session = connect(origin, ca === undefined ? {} : { ca }).on('error', () => {})
    return session
  }
  const call: HttpCall = ({ method, url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const stream = sessionTo(url.origin).request({ ...headers, ':method': method, ':path': url.pathname + url.search }, { endStream: body === undefined })
      const abort = (): void => stream.close(constants.NGHTTP2_CANCEL)
      signal.addEventListener('abort', abort, { once: true })
      stream.on('close', () => {
        signal.removeEventListener('abort', abort)
        reject(signal.aborted ? signal.reason : unreachable(url, new Error('the connection was lost')))
      })
      stream.on('error', () => {})
      stream.on('response', (head) => resolve(replyOf(stream, head, url, signal)))
      if (body !== undefined) stream.end(body)
    })
  return { call, close: () => session?.destroy() }
}

function replyOf(stream: ClientHttp2Stream, head: IncomingHttpHeaders, url: URL, signal: AbortSignal): HttpReply {
  return {
    status: Number(head[':status']),
    header: (name) => head[name]?.toString(),
    discard: () => stream.close(constants.NGHTTP2_CANCEL),
    read: (take) =>
      new Promise((resolve, reject) => {
        let ended = false
        stream.on('data', (chunk: Uint8Array) => {
          try {
            take(chunk)
          } catch (error) {
            reject(error)
            stream.close(constants.NGHTTP2_CANCEL)
          }
        })
        stream.on('end', () => {
          ended = true
        })
        const over = (): void => {
          if (ended && stream.rstCode === constants.NGHTTP2_NO_ERROR) resolve()
          else reject(signal.aborted ? signal.reason : brokenOff(url, new Error('the connection was lost')))
        }
        if (stream.closed) over()
        else stream.on('close', over)
      }),
  }
}

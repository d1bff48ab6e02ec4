/** HTTP/2 for the client's HTTP links, as far as tests need it: everything on one connection. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { brokenOff, type HttpCall, type HttpReply, type HttpRequest, unreachable } from '../../src/transport/index.ts'

export interface Http2Caller {
  readonly call: HttpCall
  close(): void
}

/** `ca` is whom to trust beside the usual ones. */
export function http2Caller(ca?: string): Http2Caller {
  let session: ClientHttp2Session | undefined
  const sessionTo = (origin: string): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed)
      session = connect(origin, ca === undefined ? {} : { ca }).on('error', () => {})
    return session
  }
  const call: HttpCall = ({ method, url, headers, body, abortController }) =>
    new Promise((resolve, reject) => {
      if (abortController.aborted) return reject(abortController.reason)
      const stream = sessionTo(url.origin).request(
        { ...headers, ':method': method, ':path': url.pathname + url.search },
        { endStream: body === undefined },
      )
      const abort = (): void => stream.close(constants.NGHTTP2_CANCEL)
      abortController.on(abort)
      stream.on('close', () => {
        abortController.off(abort)
        reject(
          abortController.aborted ? abortController.reason : unreachable(url, new Error('the connection was lost')),
        )
      })
      stream.on('error', () => {})
      stream.on('response', (head) => resolve(replyOf(stream, head, url, abortController)))
      if (body !== undefined) stream.end(body)
    })
  return { call, close: () => session?.destroy() }
}

function replyOf(
  stream: ClientHttp2Stream,
  head: IncomingHttpHeaders,
  url: URL,
  abortController: HttpRequest['abortController'],
): HttpReply {
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
          else
            reject(
              abortController.aborted ? abortController.reason : brokenOff(url, new Error('the connection was lost')),
            )
        }
        if (stream.closed) over()
        else stream.on('close', over)
      }),
  }
}

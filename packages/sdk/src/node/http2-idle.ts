/** Hangs up on HTTP/2 connections over which nothing is asked: Node watches over those of HTTP/1.1 only. */
import type { ServerHttp2Session } from 'node:http2'
import type { Clock } from '../session/index.ts'

export interface Http2Patience {
  /** How long a connection may take to say that it speaks HTTP/2, in milliseconds. */
  greeting: number
  /** How long it may stay without a request. */
  idle: number
}

export function watchHttp2(session: ServerHttp2Session, clock: Clock, { greeting, idle }: Http2Patience): void {
  let open = 0
  // A graceful close would leave it to the client to end the connection.
  const hangUp = (): void => session.destroy()
  let cancel = clock.after(greeting, hangUp)
  const rest = (): void => {
    if (open > 0 || session.destroyed) return
    cancel()
    cancel = clock.after(idle, hangUp)
  }
  session.once('remoteSettings', rest)
  session.on('stream', (stream) => {
    open++
    cancel()
    stream.once('close', () => {
      open--
      rest()
    })
  })
  session.once('close', () => cancel())
}

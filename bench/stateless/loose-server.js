/**
 * A server's session whose other end is the benchmark itself: frames are handed over as text, and answers come back as
 * text.
 */
import { initialize, initialized } from '../transports/messages.js'

/** `last()`: the newest frame the server sent. `sent()`: how many there were. */
export function looseServer(server, options) {
  let events
  let last
  let sent = 0
  const link = {
    transport: 'bench',
    open: (given) => {
      events = given
    },
    send: (frame) => {
      last = frame
      sent++
    },
    close: () => {},
  }
  const session = server.accept(link, { keepAlive: false, ...options })
  return { session, deliver: (frame) => events.frame(frame), last: () => last, sent: () => sent }
}

/** The same, after the handshake of 2025-11-25. */
export function looseSession(server, options) {
  const loose = looseServer(server, options)
  loose.deliver(initialize)
  loose.deliver(initialized)
  return loose
}

/** `count` times the same request, each answered before the next is sent. */
export function repeatedly({ deliver, sent }, text) {
  return (count) => {
    const before = sent()
    for (let at = 0; at < count; at++) deliver(text)
    if (sent() - before !== count) throw new Error(`${count} requests had ${sent() - before} answers on the spot`)
  }
}

/** WebSockets of a client on Node: the runtime's own, or those of the package `ws` where the runtime has none. */
import type { Link } from '../jsonrpc/index.ts'
import { type Dial, dialGlobal, type WebSocketOptions, webSocketTo as webSocketWith } from '../transport/index.ts'
import { loadWs } from './websocket-library.ts'

const dialWithLibrary: Dial = async (url, { protocol, headers, maxMessage }) => {
  const { WebSocket } = await loadWs()
  // Compression costs memory for every connection, and its limits are not ours.
  return new WebSocket(url, protocol, { ...(headers === undefined ? {} : { headers }), perMessageDeflate: false, maxPayload: maxMessage })
}

/** A link to `ws://` or `wss://`. */
export function webSocketTo(url: string | URL, options: WebSocketOptions = {}): Promise<Link> {
  const dial = options.dial ?? (globalThis.WebSocket === undefined ? dialWithLibrary : dialGlobal)
  return webSocketWith(url, { ...options, dial })
}

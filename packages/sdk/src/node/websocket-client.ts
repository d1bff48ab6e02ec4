/** WebSockets of a client on Node: those of the package `ws`, which bounds messages and says why it cannot connect, or the runtime's own without it. */
import type { Link } from '../jsonrpc/index.ts'
import { type Dial, dialGlobal, type WebSocketOptions, webSocketTo as webSocketWith } from '../transport/index.ts'
import { loadWs } from './websocket-library.ts'

/** `load` gives the package, or rejects where it is not installed. */
export function dialWith(load: typeof loadWs): Dial {
  return async (url, settings) => {
    const library = await load().catch(unlessRuntimeHasOne)
    if (library === undefined) return dialGlobal(url, settings)
    const { protocol, headers, maxMessage } = settings
    // Compression costs memory for every connection, and its limits are not ours.
    return new library.WebSocket(url, protocol, { ...(headers === undefined ? {} : { headers }), perMessageDeflate: false, maxPayload: maxMessage })
  }
}

const dialHere = dialWith(loadWs)

function unlessRuntimeHasOne(missing: unknown): undefined {
  if (globalThis.WebSocket === undefined) throw missing
}

/** A link to `ws://` or `wss://`. */
export function webSocketTo(url: string | URL, options: WebSocketOptions = {}): Promise<Link> {
  return webSocketWith(url, { ...options, dial: options.dial ?? dialHere })
}

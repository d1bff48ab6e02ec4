/** WebSockets of a client on Node. The published types of this file do not need the package `ws`. */
import type { Link } from '../../jsonrpc/index.ts'
import { type WebSocketOptions, webSocketTo as webSocketWith } from '../../transport/index.ts'
import { dialWith } from './dial.ts'
import { loadWs } from './library.ts'

const dialHere = dialWith(loadWs)

/** A link to `ws://` or `wss://`. */
export function webSocketTo(url: string | URL, options: WebSocketOptions = {}): Promise<Link> {
  return webSocketWith(url, { ...options, dial: options.dial ?? dialHere })
}

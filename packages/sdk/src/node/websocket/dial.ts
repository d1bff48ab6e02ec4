/** Opens a WebSocket with the package `ws`, or with the runtime's own class if the package is not installed. */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { type Dial, dialGlobal, refusalText } from '../../transport/index.ts'
import type { loadWs } from './library.ts'

/** `load` returns the package, or rejects if it is not installed. */
export function dialWith(load: typeof loadWs): Dial {
  return async (url, settings) => {
    const library = await load().catch(unlessRuntimeHasOne)
    if (library === undefined) return dialGlobal(url, settings)
    const { protocol, headers, maxMessage } = settings
    // Compression needs memory for each connection, and has its own limits.
    const socket = new library.WebSocket(url, protocol, {
      ...(headers === undefined ? {} : { headers }),
      perMessageDeflate: false,
      maxPayload: maxMessage,
    })
    socket.on('unexpected-response', (_, response) => void refused(socket, response))
    return socket
  }
}

function unlessRuntimeHasOne(missing: unknown): undefined {
  if (globalThis.WebSocket === undefined) throw missing
}

/** Enough for the text of an error. */
const MAX_REFUSAL = 64 * 1024

/** The package reports only the status. The reason is in the body. */
async function refused(socket: WebSocket, response: IncomingMessage): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length > MAX_REFUSAL) break
    }
  } catch {
    // Show what has arrived.
  }
  socket.emit('error', new Error(`Unexpected server response: ${response.statusCode}: ${refusalText(text)}`))
  socket.terminate()
}

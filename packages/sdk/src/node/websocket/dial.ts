/** Dials a WebSocket with the package `ws`, or with the runtime's own class where that package is not installed. */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { type Dial, dialGlobal, refusalText } from '../../transport/index.ts'
import type { loadWs } from './library.ts'

/** `load` gives the package, or rejects where it is not installed. */
export function dialWith(load: typeof loadWs): Dial {
  return async (url, settings) => {
    const library = await load().catch(unlessRuntimeHasOne)
    if (library === undefined) return dialGlobal(url, settings)
    const { protocol, headers, maxMessage } = settings
    // Compression costs memory for every connection, and its limits are not ours.
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

/** Enough for any error a server has to tell. */
const MAX_REFUSAL = 64 * 1024

/** The package would say the status alone; why it is so stands in the body. */
async function refused(socket: WebSocket, response: IncomingMessage): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length > MAX_REFUSAL) break
    }
  } catch {
    // What came is all there is to show.
  }
  socket.emit('error', new Error(`Unexpected server response: ${response.statusCode}: ${refusalText(text)}`))
  socket.terminate()
}

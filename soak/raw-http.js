/** HTTP by hand, for clients that do what no good client does. */
import { request } from 'node:http'

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}

/** Calls back with the response, whose body nobody has to read; gives a way to hang up. */
function open(url, method, session, body, onResponse) {
  const own = session === undefined ? headers : { ...headers, 'mcp-session-id': session }
  const outgoing = request(url, { method, agent: false, headers: own }, onResponse)
  outgoing.on('error', () => {})
  outgoing.end(body)
  return () => outgoing.destroy()
}

/** The response once its body has been read. */
function exchange(url, session, message) {
  return new Promise((resolve, reject) => {
    open(url, 'POST', session, JSON.stringify({ jsonrpc: '2.0', ...message }), (response) => {
      response.resume()
      response.on('end', () => resolve(response))
      response.on('error', reject)
    })
  })
}

/** A session that somebody else has to end. */
export async function openRaw(url) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } }
  const { statusCode, headers: answered } = await exchange(url, undefined, { id: 1, method: 'initialize', params })
  const session = answered['mcp-session-id']
  if (statusCode !== 200 || session === undefined) throw new Error(`initialize was answered with ${statusCode}`)
  await exchange(url, session, { method: 'notifications/initialized' })
  return {
    request: (message) => exchange(url, session, message),
    /** Opens the stream of the session; resolves with a way to hang up once it is there. */
    listen: () =>
      new Promise((resolve) => {
        const hangUp = open(url, 'GET', session, undefined, () => resolve(hangUp))
      }),
    /** Sends a request and gives a way to hang up on it before it is answered. */
    begin: (message) =>
      open(url, 'POST', session, JSON.stringify({ jsonrpc: '2.0', ...message }), (response) => response.resume()),
  }
}

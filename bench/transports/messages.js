/** The messages of the load, ready to be sent; ids have a fixed width, so that every request has the same length. */
import { args, clientIdentity } from '../subject.js'

export const FIRST_ID = 100_000_000

export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: clientIdentity },
})
export const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
export const callTool = JSON.stringify({
  jsonrpc: '2.0',
  id: FIRST_ID,
  method: 'tools/call',
  params: { name: 'forecast', arguments: args },
})
export const listTools = JSON.stringify({ jsonrpc: '2.0', id: FIRST_ID, method: 'tools/list', params: {} })

/** The bytes of one request, whose id `first` is counted up in place each time they are asked for. */
export function numbered(text, first = FIRST_ID) {
  const bytes = Buffer.from(text)
  const start = bytes.indexOf(String(first))
  const end = start + String(first).length
  return () => {
    for (let at = end - 1; at > start; at--) {
      if (bytes[at] < 0x39) {
        bytes[at]++
        break
      }
      bytes[at] = 0x30
    }
    return bytes
  }
}

/** Throws unless it is the answer the tool gives. */
export function checkCall(text) {
  const { result } = JSON.parse(text)
  if ((result?.structuredContent ?? JSON.parse(result?.content?.[0]?.text ?? '{}')).high !== 14)
    throw new Error(`Not the answer that was asked for: ${text.slice(0, 500)}`)
}

export function checkList(text, length) {
  const { result } = JSON.parse(text)
  if (result?.tools?.length !== length) throw new Error(`Not the list that was asked for: ${text.slice(0, 500)}`)
}

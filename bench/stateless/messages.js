/**
 * Requests of the stateless era, ready to be sent: each says its version and its client itself, and names its method in
 * headers as well.
 */
import { args, clientIdentity } from '../subject.js'
import { postWith } from '../transports/http-load.js'
import { FIRST_ID } from '../transports/messages.js'

export const VERSION = '2026-07-28'

const META = 'io.modelcontextprotocol'

/** What a usual client says of itself: it can be asked things. */
export const envelope = {
  [`${META}/protocolVersion`]: VERSION,
  [`${META}/clientInfo`]: clientIdentity,
  [`${META}/clientCapabilities`]: { elicitation: { form: {} }, sampling: {}, roots: {} },
}

function request(method, params) {
  return {
    method,
    name: params.name,
    text: JSON.stringify({ jsonrpc: '2.0', id: FIRST_ID, method, params: { ...params, _meta: envelope } }),
  }
}

export const callTool = request('tools/call', { name: 'forecast', arguments: args })
export const listTools = request('tools/list', {})

/** A call of the tool that asks before it answers, and the same again with the answer. */
export const ASKING = 'book'
const booking = { name: ASKING, arguments: { city: args.city } }

export const callAsking = request('tools/call', booking)
export const comeBack = (requestState) =>
  request('tools/call', {
    ...booking,
    inputResponses: { sure: { action: 'accept', content: { sure: true } } },
    requestState,
  })

/** The HTTP request around one of these. */
export function posted({ method, name, text }) {
  const named = name === undefined ? '' : `Mcp-Name: ${name}\r\n`
  return postWith(text, `MCP-Protocol-Version: ${VERSION}\r\nMcp-Method: ${method}\r\n${named}`)
}

/** The state of an answer that asks; throws when it is none. */
export function stateIn(text) {
  const { result } = JSON.parse(text)
  if (result?.resultType !== 'input_required' || result.inputRequests?.sure === undefined)
    throw new Error(`Nothing was asked: ${text.slice(0, 500)}`)
  return result.requestState
}

export function checkBooked(text) {
  const { result } = JSON.parse(text)
  if (result?.content?.[0]?.text !== `Booked ${args.city}`)
    throw new Error(`Not the answer that was asked for: ${text.slice(0, 500)}`)
}

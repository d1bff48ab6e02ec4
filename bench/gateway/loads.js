/** What is sent through the gateways, as messages of any version. */
import { clientIdentity } from '../subject.js'
import { FIRST_ID } from '../transports/messages.js'
import { checkEcho, checkPage, checkTools, STATELESS } from './answers.js'

const META = 'io.modelcontextprotocol'
const capabilities = { elicitation: {}, sampling: {}, roots: {} }

/** Requests of the stateless era say themselves who sends them. */
const envelopeOf = (able) => ({
  [`${META}/protocolVersion`]: STATELESS,
  [`${META}/clientInfo`]: clientIdentity,
  [`${META}/clientCapabilities`]: able ? capabilities : {},
})

const TEXT = 'Reykjavík: rain in the morning, clearing from the west later'

export const loads = [
  {
    id: 'call',
    title: 'tools/call with a small result',
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: TEXT, days: 3, units: 'metric' } },
    check: (message) => checkEcho(message, TEXT),
  },
  {
    id: 'page',
    title: 'tools/call with a result of 10 KB',
    method: 'tools/call',
    params: { name: 'page', arguments: { text: TEXT } },
    check: checkPage,
  },
  { id: 'list', title: 'tools/list of 50 tools', method: 'tools/list', params: {}, check: checkTools },
]

/** A call whose answer is as its own as the text is. */
export const echoOf = (text) => ({
  method: 'tools/call',
  params: { name: 'echo', arguments: { text } },
  check: (message) => checkEcho(message, text),
})

/** `able`: whether the client can be asked what an editor can be asked. */
export function messageOf({ method, params }, version, { id = FIRST_ID, able = true } = {}) {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: version === STATELESS ? { ...params, _meta: envelopeOf(able) } : params,
  })
}

export function initializeOf(version, { able }) {
  return messageOf(
    {
      method: 'initialize',
      params: { protocolVersion: version, capabilities: able ? capabilities : {}, clientInfo: clientIdentity },
    },
    version,
    { id: 1 },
  )
}

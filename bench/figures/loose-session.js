/** An open client session whose other end is the benchmark itself. */
import { clientIdentity, identity } from '../subject.js'

/** `Session`: the class of the engine that is measured. */
export async function looseSession(Session, settings = {}) {
  let events
  const sent = []
  const link = {
    transport: 'bench',
    open: (given) => {
      events = given
    },
    send: (frame) => sent.push(frame),
    close: () => {},
  }
  const session = new Session({
    role: 'client',
    link,
    endpoint: { introduce: () => ({ info: clientIdentity, capabilities: {} }), answer: () => ({}) },
    keepAlive: false,
    ...settings,
  })
  const opened = session.initialise()
  const { id, params } = JSON.parse(sent[0])
  const result = {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: identity,
  }
  events.frame(JSON.stringify({ jsonrpc: '2.0', id, result }))
  await opened
  return { session, sent, deliver: (frame) => events.frame(frame) }
}

/** Parley itself: one server value for all sessions, each over its own in-memory link. */
import { connect } from 'parley-mcp/client'
import { createServer, tool } from 'parley-mcp/server'
import { clientIdentity, description, forecast, identity, input, manyTools, outlook, output } from '../subject.js'

/** One page, as the others answer in one message. */
const options = { pageSize: manyTools.length }

function makeServer(tools) {
  if (tools === undefined) {
    return createServer(identity, options).add(tool('forecast', { description, input, output }, forecast), tool('outlook', { description, input }, outlook))
  }
  return createServer(identity, options).add(...tools.map(({ name, description, input }) => tool(name, { description, input }, () => '')))
}

let shared

export const parley = {
  name: 'parley',
  package: 'parley-mcp',

  async open({ tools, tap } = {}) {
    shared ??= makeServer()
    const server = tools === undefined ? shared : makeServer(tools)
    const client = await connect(server, { info: clientIdentity, version: '2025-11-25', ...(tap === undefined ? {} : { tap: (_, text) => tap(text) }) })
    return {
      call: (given) => client.call('forecast', given),
      ask: (given) => client.call('outlook', given),
      list: () => client.tools(),
      close: () => client.close(),
    }
  },
}

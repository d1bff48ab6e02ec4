/** The official SDK, second generation. */
import { Client } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { serialisingPair } from '../serialising-transport.js'
import {
  asText,
  clientIdentity,
  description,
  forecast,
  identity,
  input,
  outlook,
  output,
  withTextCopy,
} from '../subject.js'

function makeServer(tools) {
  const server = new McpServer(identity)
  if (tools === undefined) {
    server.registerTool('forecast', { description, inputSchema: input, outputSchema: output }, (given) =>
      withTextCopy(forecast(given)),
    )
    server.registerTool('outlook', { description, inputSchema: input }, (given) => asText(outlook(given)))
  }
  for (const { name, description, input } of tools ?? [])
    server.registerTool(name, { description, inputSchema: input }, () => ({ content: [] }))
  return server
}

export const sdk2 = {
  name: 'SDK 2.4',
  package: '@modelcontextprotocol/server',

  async open({ tools, tap } = {}) {
    const [near, far] = serialisingPair(tap)
    const server = makeServer(tools)
    const client = new Client(clientIdentity)
    await server.connect(far)
    await client.connect(near)
    return {
      call: (given) => client.callTool({ name: 'forecast', arguments: given }),
      ask: (given) => client.callTool({ name: 'outlook', arguments: given }),
      list: async () => (await client.listTools()).tools,
      close: () => client.close(),
    }
  },
}

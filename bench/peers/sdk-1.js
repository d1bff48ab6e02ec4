/** The official SDK, first generation (handshake era). */
import { Client } from 'sdk-2025-11-25/client/index.js'
import { McpServer } from 'sdk-2025-11-25/server/mcp.js'
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
    server.registerTool('forecast', { description, inputSchema: input.shape, outputSchema: output.shape }, (given) =>
      withTextCopy(forecast(given)),
    )
    server.registerTool('outlook', { description, inputSchema: input.shape }, (given) => asText(outlook(given)))
  }
  for (const { name, description, input } of tools ?? [])
    server.registerTool(name, { description, inputSchema: input.shape }, () => ({ content: [] }))
  return server
}

export const sdk1 = {
  name: 'SDK 1.32',
  package: 'sdk-2025-11-25',

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

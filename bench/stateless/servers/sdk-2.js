/** The official SDK, second generation, in the stateless era: it makes a server value for each request. */
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { ready, wanted } from '../../transports/servers/child.js'

const { subject, tools } = await wanted()
const { description, input, output, forecast, withTextCopy } = subject

function makeServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  if (tools === undefined)
    server.registerTool('forecast', { description, inputSchema: input, outputSchema: output }, (given) =>
      withTextCopy(forecast(given)),
    )
  for (const { name, description, input } of tools ?? [])
    server.registerTool(name, { description, inputSchema: input }, () => ({ content: [] }))
  return server
}

const listener = createServer(toNodeHandler(createMcpHandler(makeServer)))
listener.listen(0, '127.0.0.1', () => ready(listener.address().port))

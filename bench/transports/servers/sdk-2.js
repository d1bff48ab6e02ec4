/** The official SDK, second generation. It needs a server value for each session. */
import { McpServer } from '@modelcontextprotocol/server'
import { bareTool, ready, serveSessions, wanted } from './child.js'

const { link, answer, subject, tools } = await wanted()

function makeServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  if (subject === undefined) {
    server.registerTool(bareTool.name, { description: bareTool.description }, () => ({
      content: [{ type: 'text', text: bareTool.text }],
    }))
  } else if (tools === undefined) {
    const { description, input, output, forecast, withTextCopy } = subject
    server.registerTool('forecast', { description, inputSchema: input, outputSchema: output }, (given) =>
      withTextCopy(forecast(given)),
    )
  }
  for (const { name, description, input } of tools ?? [])
    server.registerTool(name, { description, inputSchema: input }, () => ({ content: [] }))
  return server
}

if (link === 'http') {
  const { NodeStreamableHTTPServerTransport } = await import('@modelcontextprotocol/node')
  await serveSessions({
    makeServer,
    makeTransport: (options) =>
      new NodeStreamableHTTPServerTransport({ ...options, enableJsonResponse: answer === 'json' }),
  })
} else {
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  await makeServer().connect(new StdioServerTransport())
  ready()
}

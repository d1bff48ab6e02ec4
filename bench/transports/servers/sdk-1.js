/** The official SDK, first generation. It needs a server value for each session. */
import { McpServer } from 'sdk-2025-11-25/server/mcp.js'
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
    server.registerTool('forecast', { description, inputSchema: input.shape, outputSchema: output.shape }, (given) =>
      withTextCopy(forecast(given)),
    )
  }
  for (const { name, description, input } of tools ?? [])
    server.registerTool(name, { description, inputSchema: input.shape }, () => ({ content: [] }))
  return server
}

if (link === 'http') {
  const { StreamableHTTPServerTransport } = await import('sdk-2025-11-25/server/streamableHttp.js')
  await serveSessions({
    makeServer,
    makeTransport: (options) =>
      new StreamableHTTPServerTransport({ ...options, enableJsonResponse: answer === 'json' }),
  })
} else {
  const { StdioServerTransport } = await import('sdk-2025-11-25/server/stdio.js')
  await makeServer().connect(new StdioServerTransport())
  ready()
}

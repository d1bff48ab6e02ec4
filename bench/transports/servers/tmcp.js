/** tmcp: one server value for all sessions, as in Parley. Over HTTP it answers requests with event streams only. */
import { McpServer } from 'tmcp'
import { bareTool, ready, wanted } from './child.js'

const { link, subject, tools } = await wanted()

async function adapter() {
  if (subject === undefined) return undefined
  const { ZodJsonSchemaAdapter } = await import('@tmcp/adapter-zod')
  return new ZodJsonSchemaAdapter()
}

const server = new McpServer(
  { name: 'bench', version: '1.0.0' },
  { adapter: await adapter(), capabilities: { tools: {} } },
)

if (subject === undefined) {
  server.tool({ name: bareTool.name, description: bareTool.description }, () => ({
    content: [{ type: 'text', text: bareTool.text }],
  }))
} else if (tools === undefined) {
  const { description, input, output, forecast, withTextCopy } = subject
  server.tool({ name: 'forecast', description, schema: input, outputSchema: output }, (given) =>
    withTextCopy(forecast(given)),
  )
}
for (const { name, description, input } of tools ?? [])
  server.tool({ name, description, schema: input }, () => ({ content: [] }))

if (link === 'http') {
  const { HttpTransport } = await import('@tmcp/transport-http')
  const { getRequestListener } = await import('@hono/node-server')
  const { createServer } = await import('node:http')
  const transport = new HttpTransport(server, { path: '/mcp' })
  const listener = createServer(
    getRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  )
  listener.listen(0, '127.0.0.1', () => ready(listener.address().port))
} else {
  const { StdioTransport } = await import('@tmcp/transport-stdio')
  new StdioTransport(server).listen()
  ready()
}

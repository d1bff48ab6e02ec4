/** Parley: one server value for all sessions. */
import { serveHttp, serveStdio } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { bareTool, ready, wanted } from './child.js'

const { link, answer, subject, tools } = await wanted()

function definitions() {
  if (subject === undefined) return [tool(bareTool.name, { description: bareTool.description }, () => bareTool.text)]
  if (tools !== undefined) return tools.map(({ name, description, input }) => tool(name, { description, input }, () => ''))
  const { description, input, output, forecast } = subject
  return [tool('forecast', { description, input, output }, forecast)]
}

// One page, as the others answer in one message.
const server = createServer({ name: 'bench', version: '1.0.0' }, { pageSize: tools?.length ?? 100 }).add(...definitions())

if (link === 'http') ready((await serveHttp(server, { port: 0, answer })).port)
else {
  await serveStdio(server)
  ready()
}

/** Parley: one server value for all sessions. */
import { importParley } from '../../checkout.js'
import { bareTool, ready, wanted } from './child.js'

const { link, answer, subject, tools } = await wanted()
const [{ serveHttp, serveStdio }, { createServer, tool }] = await Promise.all([
  importParley('node'),
  importParley('server'),
])

function definitions() {
  if (subject === undefined) return [tool(bareTool.name, { description: bareTool.description }, () => bareTool.text)]
  if (tools !== undefined)
    return tools.map(({ name, description, input }) => tool(name, { description, input }, () => ''))
  const { description, input, output, forecast } = subject
  return [tool('forecast', { description, input, output }, forecast)]
}

// One page, as the others answer in one message.
const server = createServer({ name: 'bench', version: '1.0.0' }, { pageSize: tools?.length ?? 100 }).add(
  ...definitions(),
)

if (link === 'http') ready((await serveHttp(server, { port: 0, answer, fastHttp: true })).port)
else {
  await serveStdio(server)
  ready()
}

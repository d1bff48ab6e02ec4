/** fastmcp, which builds on the first generation of the official SDK. */
import { createServer } from 'node:net'
import { FastMCP } from 'fastmcp'
import { bareTool, ready, wanted } from './child.js'

const { link, answer, subject, tools } = await wanted()

const server = new FastMCP({ name: 'bench', version: '1.0.0', logger: silent(), ping: { enabled: false } })

if (subject === undefined)
  server.addTool({ name: bareTool.name, description: bareTool.description, execute: async () => bareTool.text })
else if (tools === undefined) {
  const { description, input, output, forecast, withTextCopy } = subject
  server.addTool({
    name: 'forecast',
    description,
    parameters: input,
    outputSchema: output,
    execute: async (given) => withTextCopy(forecast(given)),
  })
}
for (const { name, description, input } of tools ?? [])
  server.addTool({ name, description, parameters: input, execute: async () => '' })

/** It would write to the standard output that carries the messages. */
function silent() {
  const ignore = () => {}
  return { debug: ignore, error: ignore, info: ignore, log: ignore, warn: ignore }
}

/** It cannot be asked which port it got, so it is given one that was free a moment ago. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

if (link === 'http') {
  const port = await freePort()
  await server.start({
    transportType: 'httpStream',
    httpStream: { host: '127.0.0.1', port, enableJsonResponse: answer === 'json' },
  })
  ready(port)
} else {
  await server.start({ transportType: 'stdio' })
  ready()
}

/** The server the official suite is run against: everything it asks for, on Parley's public API. `node conformance/server.js [--port N]` */
import { parseArgs } from 'node:util'
import { serveHttp } from 'parley-mcp/node'
import { createServer } from 'parley-mcp/server'
import { prompts } from './server/prompts.js'
import { questions } from './server/questions.js'
import { resources } from './server/resources.js'
import { tools } from './server/tools.js'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })

const server = createServer({ name: 'parley-conformance', version: '1.0.0' }).add(...tools, ...questions, ...resources, ...prompts)
const { url } = await serveHttp(server, { port: Number(values.port) })
console.log(`Listening at ${url}`)
